/**
 * A refusal in words.
 *
 * - `refusalText(refused)` with the server's own message. What has none did not come from a team server: a proxy, a firewall or a sign-in
 *   page of a network stands in between.
 */
export function refusalText({ status, message }: { readonly status: number; readonly message: string }): string {
  return message
    ? `${status}: ${message}`
    : `${status} without a reason; something between here and the server may block it`;
}
