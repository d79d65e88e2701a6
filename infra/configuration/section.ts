/** What the page says of a variable: its meaning, and the default where no schema holds it. */
export interface VariableWords {
  readonly meaning: string;
  /** Of a variable without a default in any schema, or whose default is made where the process runs. */
  readonly default?: string;
  /** The schema's default depends on the machine: `default` says how. */
  readonly isMachineDependent?: true;
}

export interface Section {
  readonly title: string;
  readonly variables: Readonly<Record<string, VariableWords | string>>;
}
