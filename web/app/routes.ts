import { index, layout, type RouteConfig, route } from "@react-router/dev/routes";

export default [
  layout("routes/public/layout.tsx", [index("routes/public/home.tsx")]),
  layout("routes/account/layout.tsx", [
    route("login", "routes/account/login.tsx"),
    route("signup", "routes/account/signup.tsx"),
    route("successreg", "routes/account/successreg.tsx"),
    route("logout", "routes/account/logout.tsx"),
    route("*", "routes/public/not-found.tsx"),
  ]),
  layout("routes/desk/layout.tsx", [route("dashboard", "routes/desk/dashboard.tsx")]),
] satisfies RouteConfig;
