/** Flags of `up` that are settings. */
export function serverFlags({ port, allowHost }: { port?: number | undefined; allowHost: readonly string[] }) {
  return {
    ...(port === undefined ? {} : { port }),
    ...(allowHost.length > 0 ? { allow_hosts: allowHost } : {}),
  };
}
