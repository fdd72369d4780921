/** The key of a Windows profile from `Local State`, still encrypted with the person's login (DPAPI). */
export function windowsKey(localState: string): Buffer | undefined {
  const state = JSON.parse(localState) as { os_crypt?: { encrypted_key?: unknown } };
  const text = state.os_crypt?.encrypted_key;
  if (typeof text !== "string") return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("latin1", 0, 5) === "DPAPI" ? bytes.subarray(5) : undefined;
}
