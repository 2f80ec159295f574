import { expect, test, vi } from "vitest";
import { onReauthenticationRequired, reauthenticateIfNeeded } from "#lib/reauthentication.ts";

const rejection = () => Response.json({ code: "reauthentication_required" }, { status: 403 });

test("[S13] asks again only for a rejected sensitive action, and leaves the body readable", async () => {
  const handler = vi.fn(async () => true);
  const remove = onReauthenticationRequired(handler);
  const rejected = rejection();
  expect(await reauthenticateIfNeeded(rejected)).toBe(true);
  expect(await rejected.json()).toEqual({ code: "reauthentication_required" });
  for (const other of [Response.json({ code: "no_password" }), new Response("not JSON")])
    expect(await reauthenticateIfNeeded(other)).toBe(false);
  expect(handler).toHaveBeenCalledTimes(1);
  remove();
  expect(await reauthenticateIfNeeded(rejection())).toBe(false);
});

test("[S13] requests that wait at the same time ask once", async () => {
  const handler = vi.fn(async () => false);
  const remove = onReauthenticationRequired(handler);
  await Promise.all([reauthenticateIfNeeded(rejection()), reauthenticateIfNeeded(rejection())]);
  expect(handler).toHaveBeenCalledTimes(1);
  await reauthenticateIfNeeded(rejection());
  expect(handler).toHaveBeenCalledTimes(2);
  remove();
});
