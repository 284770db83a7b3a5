const known = new WeakMap<object, ReadonlySet<string>>()

function gather(node: unknown, into: Set<string>): void {
  if (typeof node !== 'object' || node === null) return
  const { type, name } = node as { readonly type?: unknown; readonly name?: unknown }
  if (type === 'Identifier' && typeof name === 'string') into.add(name)
  for (const inner of Object.values(node)) gather(inner, into)
}

/** All names that stand in a piece of code, whatever for. */
export function namesIn(node: object): ReadonlySet<string> {
  const names = known.get(node) ?? new Set()
  if (!known.has(node)) {
    known.set(node, names)
    gather(node, names as Set<string>)
  }
  return names
}
