/** The selected theme, kept in local storage. `public/theme.js` applies it before the first paint and must use the same key. */
export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const themeKey = "devflow.theme";

export function readTheme(storage: Pick<Storage, "getItem">): Theme {
  const stored = storage.getItem(themeKey);
  return stored === "light" || stored === "dark" ? stored : "system";
}

export function applyTheme(theme: Theme, storage: Pick<Storage, "setItem" | "removeItem">, root: HTMLElement): void {
  if (theme === "system") {
    storage.removeItem(themeKey);
    delete root.dataset.theme;
  } else {
    storage.setItem(themeKey, theme);
    root.dataset.theme = theme;
  }
}
