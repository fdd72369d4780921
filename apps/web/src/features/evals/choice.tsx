/** A select field, optionally with "all" as its first option. */
import { useId } from "react";

export function Choice(props: {
  label: string;
  value: string | undefined;
  options: readonly (string | { readonly value: string; readonly title: string })[];
  all?: string;
  isFilter?: boolean;
  onPick: (value: string | undefined) => void;
}) {
  const id = useId();
  const options = props.options.map((one) => (typeof one === "string" ? { value: one, title: one } : one));
  const isUnknown = props.value !== undefined && !options.some(({ value }) => value === props.value);
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-meta text-ink-soft">
        {props.label}
      </label>
      <select
        id={id}
        value={props.value ?? ""}
        onChange={(event) => props.onPick(event.target.value || undefined)}
        {...(props.isFilter ? { "data-filter": true } : {})}
        className="h-8 min-w-0 max-w-full truncate rounded-small border border-line-strong bg-canvas px-2"
      >
        {props.all !== undefined && <option value="">{props.all}</option>}
        {isUnknown && <option value={props.value}>{props.value}</option>}
        {options.map(({ value, title }) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A select field for a suite and its tier. */
export function SuiteChoice(props: {
  suites: readonly { readonly suite: string; readonly tier: string }[];
  suite: string | undefined;
  tier: string | undefined;
  all?: string;
  onPick: (suite: string | undefined, tier: string | undefined) => void;
}) {
  const at = props.suites.findIndex(({ suite, tier }) => suite === props.suite && tier === props.tier);
  return (
    <Choice
      label="Suite"
      isFilter
      {...(props.all === undefined ? {} : { all: props.all })}
      value={at < 0 ? undefined : String(at)}
      options={props.suites.map(({ suite, tier }, no) => ({ value: String(no), title: `${suite} · ${tier}` }))}
      onPick={(value) => {
        const chosen = value === undefined ? undefined : props.suites[Number(value)];
        props.onPick(chosen?.suite, chosen?.tier);
      }}
    />
  );
}
