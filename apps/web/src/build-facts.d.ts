/** Put in by Vite when the app is built. */
declare const __WEB_VERSION__: string;
declare module "*.css";
