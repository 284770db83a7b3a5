/** How far the brackets reach that stand open where a text begins; its length where they are never closed. */
function endOfBrackets(text: string): number {
  let open = 1
  for (const { 0: sign, index } of text.matchAll(/[()]/g)) {
    open += sign === '(' ? 1 : -1
    if (open === 0) return index
  }
  return text.length
}

/** Where a condition ends: with the brackets around it, or with what follows a join. */
const end = /\)|\b(?:left|inner|cross) join\b|\bwhere\b|\border by\b|\bgroup by\b|\blimit\b/

/** The beginnings of the sets that stand in a condition, not those within these. */
function* setsIn(condition: string): Generator<string> {
  for (let rest = condition; ;) {
    const bracket = rest.indexOf('(')
    const over = rest.search(end)
    if (bracket < 0 || (over >= 0 && over < bracket)) return
    const inside = rest.slice(bracket + 1)
    const length = endOfBrackets(inside)
    if (inside.startsWith('select')) yield inside.slice(0, 40)
    else yield* setsIn(inside.slice(0, length))
    rest = inside.slice(length + 1)
  }
}

/** How the sets begin that stand in the conditions of a statement's outer joins. */
export function setsInOuterJoins(statement: string): readonly string[] {
  return statement
    .split('left join ')
    .slice(1)
    .flatMap((rest) => {
      const joined = rest.startsWith('(') ? rest.slice(endOfBrackets(rest.slice(1)) + 1) : rest
      const on = joined.indexOf(' on ')
      return on < 0 ? [] : [...setsIn(joined.slice(on + ' on '.length))]
    })
}
