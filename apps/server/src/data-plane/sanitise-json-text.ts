/**
 * Removes from JSON text what Postgres rejects: U+0000 and lone surrogates, each replaced by U+FFFD. Nothing else changes, so
 * numbers, spacing and order stay as sent.
 */
export function sanitiseJsonText(json: string): { readonly json: string; readonly sanitised: boolean } {
  if (!suspicious.test(json)) return { json, sanitised: false };
  let sanitised = false;
  // Escapes are consumed left to right, so that `\\u0000` (a backslash and letters) is not mistaken for one.
  const clean = json.replace(escapes, (whole) => {
    if (/^\\u[dD][89abAB]..\\u[dD][c-fC-F]/.test(whole) || !/^\\u(?:0000|[dD][89a-fA-F])/.test(whole)) return whole;
    sanitised = true;
    return "\\ufffd";
  });
  return { json: clean, sanitised };
}

const suspicious = /\\u(?:0000|[dD][89a-fA-F])/;
const escapes = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[^u]/g;
