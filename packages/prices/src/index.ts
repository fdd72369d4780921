/** Entry point of prices: model prices and cost arithmetic; see README.md. */
export { type PriceOverlay, readOverlay } from "./overlay.ts";
export { lazyPrices, openPrices, type PriceBook, type PricedUsage, priceUsage, type Usage } from "./price-book.ts";
