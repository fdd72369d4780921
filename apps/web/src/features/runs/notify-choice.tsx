/** Turns notifications on and off. Asks for the browser's permission only after a click. */
import { useState } from "react";
import { readNotify, writeNotify } from "../../model/runs/gate-notices.ts";
import { Button } from "../../parts/button.tsx";

export function NotifyChoice() {
  const [isOn, setOn] = useState(() => readNotify(localStorage) && permission() === "granted");
  const [note, setNote] = useState("");
  if (permission() === "none") return <p className="text-ink-soft">This browser does not support notifications.</p>;

  async function turnOn() {
    const answer = await Notification.requestPermission();
    if (answer !== "granted")
      return setNote("The browser blocked notifications. Allow them for this site in the browser settings.");
    writeNotify(localStorage, true);
    setNote("");
    setOn(true);
  }
  function turnOff() {
    writeNotify(localStorage, false);
    setOn(false);
  }
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <Button aria-pressed={isOn} onClick={() => (isOn ? turnOff() : void turnOn())}>
        {isOn ? "Stop notifying me" : "Notify me"}
      </Button>
      <span role="status" className="text-meta text-ink-soft">
        {note || (isOn ? "You will be notified when a gate opens or an agent asks for permission." : "")}
      </span>
    </div>
  );
}

const permission = (): NotificationPermission | "none" => ("Notification" in window ? Notification.permission : "none");
