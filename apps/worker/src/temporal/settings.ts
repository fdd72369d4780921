/** How to reach Temporal, from the settings. */
import { readFile } from "node:fs/promises";
import type { Config } from "@devflow/core/config";
import { DevflowError } from "@devflow/core/errors";
import type { NativeConnectionOptions } from "@temporalio/worker";

export interface TemporalPlace {
  readonly address: string;
  readonly namespace: string;
  readonly connection: NativeConnectionOptions;
}

type TemporalSettings = Pick<
  Config,
  | "temporalAddress"
  | "temporalNamespace"
  | "temporalTls"
  | "temporalApiKey"
  | "temporalCa"
  | "temporalCert"
  | "temporalKey"
>;

/** A key is sent over TLS only, and naming a certificate asks for TLS too. */
export async function temporalPlace(config: TemporalSettings): Promise<TemporalPlace> {
  const address = config.temporalAddress;
  if (!address) throw new DevflowError("temporal_not_configured");
  const { temporalCa: ca, temporalCert: cert, temporalKey: key, temporalApiKey: apiKey } = config;
  const isTls = config.temporalTls || ca !== undefined || cert !== undefined || apiKey !== undefined;
  const [root, crt, secret] = await Promise.all([ca, cert, key].map(readPem));
  const tls = {
    ...(root ? { serverRootCACertificate: root } : {}),
    ...(crt && secret ? { clientCertPair: { crt, key: secret } } : {}),
  };
  return {
    address,
    namespace: config.temporalNamespace,
    connection: {
      address,
      ...(isTls ? { tls } : {}),
      ...(apiKey ? { apiKey: apiKey.reveal() } : {}),
    },
  };
}

async function readPem(path: string | undefined): Promise<Buffer | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path);
  } catch (error) {
    throw new DevflowError("file_unreadable", { details: { path, reason: (error as Error).message }, cause: error });
  }
}
