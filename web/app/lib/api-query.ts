import createQueryClient from "openapi-react-query";
import { api } from "#lib/api.ts";

/** Server state: `$api.useQuery("get", "/trades/client", …)`. Apart from `api.ts`, so that forms do without it. */
export const $api = createQueryClient(api);
