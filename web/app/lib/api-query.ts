import createQueryClient from "openapi-react-query";
import { api } from "#lib/api.ts";

/** Client for server state: `$api.useQuery("get", "/trades/client", …)`. Not in `api.ts`, so that forms do not load it. */
export const $api = createQueryClient(api);
