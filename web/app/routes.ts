import { index, layout, type RouteConfig, route } from "@react-router/dev/routes";

export default [
  layout("routes/public/layout.tsx", [
    index("routes/public/home.tsx"),
    route("careers", "routes/public/careers.tsx"),
    route("job-description/:jobid", "routes/public/job-description.tsx"),
    route("apply/:jobid", "routes/public/apply.tsx"),
    route("application", "routes/public/application.tsx"),
    route("about-us", "routes/public/about-us.tsx"),
    route("terms-and-conditions", "routes/public/terms-and-conditions.tsx"),
    route("api/docs", "routes/public/api-docs.tsx"),
    route("test", "routes/public/test-upload.tsx"),
    route("trading-journal", "routes/public/journals/trading.tsx"),
    // The same page; its canonical URL is the one above.
    route("add-trade", "routes/public/journals/trading.tsx", { id: "add-trade" }),
    route("stock-market-trading-journal", "routes/public/journals/stock-market.tsx"),
    route("free-trading-journal", "routes/public/journals/free.tsx"),
    route("ai-trading-journal", "routes/public/journals/ai.tsx"),
    route("indian-stock-market-trading-journal", "routes/public/journals/indian-stock-market.tsx"),
    route("nse-trading-journal", "routes/public/journals/nse.tsx"),
    route("bse-trading-journal", "routes/public/journals/bse.tsx"),
    route("crypto-trading-journal", "routes/public/journals/crypto.tsx"),
    route("forex-trading-journal", "routes/public/journals/forex.tsx"),
  ]),
  layout("routes/account/layout.tsx", [
    route("login", "routes/account/login.tsx"),
    route("signup", "routes/account/signup.tsx"),
    route("successreg", "routes/account/successreg.tsx"),
    route("logout", "routes/account/logout.tsx"),
    route("forgot-password", "routes/account/forgot-password.tsx"),
    route("reset-password", "routes/account/reset-password.tsx"),
    route("confirm-email", "routes/account/confirm-email.tsx"),
    route("coming-soon", "routes/public/coming-soon.tsx"),
    route("success", "routes/public/success.tsx"),
    route("*", "routes/public/not-found.tsx"),
  ]),
  // For accountants without an account, so without the navigation of the site; its link has a token in the fragment.
  route("shared-tax-pack", "routes/public/shared-tax-pack.tsx"),
  layout("routes/desk/layout.tsx", [
    route("dashboard", "routes/desk/dashboard.tsx"),
    route("add-new-trades", "routes/desk/add-new-trades.tsx"),
    route("account", "routes/desk/account.tsx"),
    // One route: every page of the site lists all routes. The server sends the page of a position for any id.
    route("analytics/:page?/:id?", "routes/desk/analytics.tsx"),
    // One route too: the days, the review queue, the playbooks, and the page of a day, which is not prerendered; the
    // server sends the fallback page for it.
    route("journal/:day?", "routes/desk/journal.tsx"),
  ]),
] satisfies RouteConfig;
