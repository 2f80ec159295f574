import type { Config } from "@react-router/dev/config";

export default {
  ssr: false,
  // Every path is a file on disk; the splat is answered by the fallback page, with status 404.
  prerender: ({ getStaticPaths }) => getStaticPaths(),
} satisfies Config;
