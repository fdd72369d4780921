/**
 * Asks for confirmation, most often before an action that cannot be undone. Escape and a click outside mean no; Enter means yes
 * only where that does no harm.
 */
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Modal } from "./modal.tsx";

export function Confirm(props: {
  title: string;
  act: string;
  isHarmless?: boolean;
  children: ReactNode;
  onYes: () => void;
  onNo: () => void;
}) {
  return (
    <Modal label={props.title} onClose={props.onNo}>
      <div className="p-4">
        <h2 className="text-body">{props.title}</h2>
        <div className="mt-2 text-ink-soft">{props.children}</div>
        <div className="mt-6 flex justify-end gap-2">
          <Button onClick={props.onNo}>Go back</Button>
          <Button
            variant={props.isHarmless ? "strong" : "danger"}
            data-focus={props.isHarmless || undefined}
            onClick={props.onYes}
          >
            {props.act}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
