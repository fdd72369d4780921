/** The roles that may be given; only an owner gives the role of an owner. */
import { type TeamRole, teamRoles } from "@devflow/protocol";
import { useId } from "react";
import { inputBox } from "../../parts/text-field.tsx";

const words: Record<TeamRole, string> = {
  owner: "Owner: manages everybody",
  admin: "Admin: manages members",
  member: "Member",
};

export function RoleSelect(props: {
  label: string;
  value: TeamRole;
  mayOwn: boolean;
  disabled?: boolean;
  onChange: (role: TeamRole) => void;
}) {
  const id = useId();
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="font-medium">
        {props.label}
      </label>
      <select
        id={id}
        value={props.value}
        disabled={props.disabled}
        onChange={(event) => props.onChange(event.target.value as TeamRole)}
        className={inputBox}
      >
        {teamRoles
          .filter((role) => role !== "owner" || props.mayOwn || props.value === "owner")
          .toReversed()
          .map((role) => (
            <option key={role} value={role}>
              {words[role]}
            </option>
          ))}
      </select>
    </div>
  );
}
