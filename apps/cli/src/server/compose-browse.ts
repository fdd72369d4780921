/** The browsers of this machine's workspaces for its server's screen. */
import { machineBrowse } from "@devflow/browse/http";
import { type Mounted, mountBrowse } from "@devflow/server";

export async function composeBrowse(home: string): Promise<Mounted> {
  return mountBrowse(machineBrowse(home));
}
