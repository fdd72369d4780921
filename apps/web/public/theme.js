// Runs before the first paint, so that the page does not flash in another theme.
// A separate file because the content security policy forbids inline scripts. The value is stored by src/model/theme.ts.
try {
  const theme = localStorage.getItem("devflow.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is blocked: use the system theme.
}
