import { useLocation, useNavigate, useSearchParams } from "react-router";

const KEY = "trade";

/** The open trade, stored in the URL, so that it can be linked to and Back closes it. */
export function useOpenTrade() {
  const [params, setParams] = useSearchParams();
  const { state } = useLocation();
  const navigate = useNavigate();
  const id = params.get(KEY) ?? "";

  return {
    id: /^\d{1,19}$/.test(id) ? id : undefined,
    open(tradeId: string) {
      setParams((now) => withTrade(now, tradeId), { state: { opened: true }, preventScrollReset: true });
    },
    /** Goes back if the trade was opened in the app; after a direct link it only closes the trade. */
    close() {
      if (state?.opened) navigate(-1);
      else setParams((now) => withTrade(now, undefined), { replace: true, preventScrollReset: true });
    },
  };
}

function withTrade(params: URLSearchParams, tradeId: string | undefined): URLSearchParams {
  const next = new URLSearchParams(params);
  if (tradeId) next.set(KEY, tradeId);
  else next.delete(KEY);
  return next;
}
