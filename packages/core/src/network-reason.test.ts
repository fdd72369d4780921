import { expect, test } from "bun:test";
import { networkReason } from "./network-reason.ts";

const reasonOf = async (url: string, signal?: AbortSignal) =>
  await fetch(url, signal ? { signal } : {}).then(
    () => "answered",
    (error: unknown) => networkReason(error),
  );

test("a request that gets no answer says why in words", async () => {
  const busy = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
  const { port } = busy;
  expect(await reasonOf(`http://127.0.0.1:${port}/`, AbortSignal.timeout(50))).toBe("it does not answer in time");
  busy.stop(true);
  expect(await reasonOf(`http://127.0.0.1:${port}/`)).toBe("nobody listens there");
  const rude = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: (socket) => void socket.terminate() } });
  expect(await reasonOf(`http://127.0.0.1:${rude.port}/`)).toBe("it closed the connection");
  rude.stop(true);
  expect(networkReason(new Error("unable to verify the first certificate."))).toBe(
    "unable to verify the first certificate",
  );
});
