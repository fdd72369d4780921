// Runs before the first paint, so that a chosen theme never flashes in the other one.
// A file of its own because the content policy allows no inline script. Written by src/model/theme.ts.
try {
  const theme = localStorage.getItem("devflow.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is blocked: the system's theme it is.
}
