/** The part of smtp-server that the tests use; it has no types of its own. */
declare module "smtp-server" {
  import type { Server } from "node:net";
  import type { Readable } from "node:stream";

  interface Session {
    readonly secure: boolean;
    readonly user?: string;
    readonly envelope: { readonly mailFrom: { address: string }; readonly rcptTo: { address: string }[] };
  }

  export class SMTPServer {
    constructor(options: {
      authOptional?: boolean;
      key?: string;
      cert?: string;
      secure?: boolean;
      disabledCommands?: string[];
      onAuth?(
        auth: { username?: string; password?: string },
        session: Session,
        done: (error: Error | null, answer?: { user: string }) => void,
      ): void;
      onRcptTo?(address: { address: string }, session: Session, done: (error?: Error) => void): void;
      onData(stream: Readable, session: Session, done: (error?: Error) => void): void;
    });
    readonly server: Server;
    listen(port: number, host: string, done: () => void): void;
    on(event: "error", listener: (error: Error) => void): void;
    close(done: () => void): void;
  }
}
