import { useLocation, useNavigate, useSearchParams } from "react-router";

const KEY = "trade";

/** Which trade is open: it stands in the address, so that it can be linked to and Back closes it. */
export function useTradeAddress() {
  const [params, setParams] = useSearchParams();
  const { state } = useLocation();
  const navigate = useNavigate();
  const id = params.get(KEY) ?? "";

  return {
    id: /^\d{1,19}$/.test(id) ? id : undefined,
    open(trade: string) {
      setParams((now) => withTrade(now, trade), { state: { opened: true }, preventScrollReset: true });
    },
    /** Back to where it was opened; who came by a link goes on from here. */
    close() {
      if (state?.opened) navigate(-1);
      else setParams((now) => withTrade(now, undefined), { replace: true, preventScrollReset: true });
    },
  };
}

function withTrade(params: URLSearchParams, trade: string | undefined): URLSearchParams {
  const next = new URLSearchParams(params);
  if (trade) next.set(KEY, trade);
  else next.delete(KEY);
  return next;
}
