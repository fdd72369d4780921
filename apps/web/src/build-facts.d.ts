/** Defined by Vite at build time. */
declare const __WEB_VERSION__: string;
declare module "*.css";
