/** What an agent's error says. The message is often a general one, and the reason stands beside it. */
export function failureOf(error: unknown): string {
  const { message, data } = error as Error & { data?: unknown };
  const { details, message: reason } = (typeof data === "object" && data !== null ? data : {}) as Record<
    string,
    unknown
  >;
  const said = [details, reason, data].find((one) => typeof one === "string" && one !== message);
  return (said === undefined ? message : `${message}: ${said}`).slice(0, 500);
}
