/** Builds the web app into `dist`: hashed files, split by route, nothing inline, so that it works under `script-src 'self'; style-src 'self'`. */
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, loadEnv } from "vite";
import manifest from "./package.json" with { type: "json" };

export default defineConfig(({ mode }) => {
  // `npm run dev` uses a running server: DEVFLOW_DEV_SERVER=http://127.0.0.1:4400 npm run dev
  const server = loadEnv(mode, import.meta.dirname, "DEVFLOW_DEV_").DEVFLOW_DEV_SERVER;
  return {
    root: import.meta.dirname,
    plugins: [react(), tailwind()],
    define: { __WEB_VERSION__: JSON.stringify(manifest.version) },
    build: {
      target: ["chrome123", "firefox128", "safari17.5"],
      // The content security policy would have to allow data: URLs for inlined assets.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
    server: {
      host: "127.0.0.1",
      ...(server
        ? {
            proxy: Object.fromEntries(
              ["/api", "/auth", "/rest", "/sse"].map((path) => [path, { target: server, changeOrigin: true }]),
            ),
          }
        : {}),
    },
  };
});
