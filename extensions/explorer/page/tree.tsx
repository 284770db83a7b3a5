import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

export interface TreeNode {
  readonly id: string
  readonly name: string
  readonly label: ComponentChildren
  readonly isChecked?: boolean | 'mixed'
  readonly check?: () => void
  readonly follow?: () => void
  readonly children?: () => readonly TreeNode[]
}

interface Row {
  readonly node: TreeNode
  readonly level: number
  readonly isOpen: boolean
  readonly parent: number
  readonly position: number
  readonly siblings: number
}

interface TreeProps {
  readonly label: string
  readonly nodes: readonly TreeNode[]
  readonly isOpenAtFirst: (node: TreeNode, level: number) => boolean
  /** A new value resets expanded and collapsed nodes. */
  readonly of: string
}

/** Browsers lay out this many at once. */
const mostRows = 3000

type IsOpen = (node: TreeNode, level: number) => boolean

function rowsOf(nodes: readonly TreeNode[], isOpenAt: IsOpen): readonly Row[] {
  const rows: Row[] = []
  const add = (some: readonly TreeNode[], level: number, parent: number): void => {
    for (const [index, node] of some.entries()) {
      if (rows.length >= mostRows) return
      const isOpen = node.children !== undefined && isOpenAt(node, level)
      rows.push({ node, level, isOpen, parent, position: index + 1, siblings: some.length })
      if (isOpen) add(node.children(), level + 1, rows.length - 1)
    }
  }
  add(nodes, 1, -1)
  return rows
}

interface Moving {
  readonly rows: readonly Row[]
  readonly index: number
  readonly goTo: (index: number) => void
  readonly turn: (node: TreeNode) => void
}

function act({ node }: Row, turn: Moving['turn']): void {
  if (node.follow !== undefined) node.follow()
  else if (node.check !== undefined) node.check()
  else if (node.children !== undefined) turn(node)
}

function startingWith(letter: string, { rows, index }: Moving): number {
  const from = [...rows.slice(index + 1), ...rows.slice(0, index + 1)]
  const found = from.find(({ node }) => node.name.toLowerCase().startsWith(letter.toLowerCase()))
  return found === undefined ? index : rows.indexOf(found)
}

function keysOf(row: Row, moving: Moving): Readonly<Record<string, () => void>> {
  const { node, isOpen, parent } = row
  const { rows, index, goTo, turn } = moving
  return {
    ArrowDown: () => {
      goTo(index + 1)
    },
    ArrowUp: () => {
      goTo(index - 1)
    },
    Home: () => {
      goTo(0)
    },
    End: () => {
      goTo(rows.length - 1)
    },
    ArrowRight: () => {
      if (isOpen) goTo(index + 1)
      else if (node.children !== undefined) turn(node)
    },
    ArrowLeft: () => {
      if (isOpen) turn(node)
      else goTo(parent < 0 ? index : parent)
    },
    ' ': () => {
      act({ ...row, node: { ...node, ...(node.check === undefined ? {} : { follow: node.check }) } }, turn)
    },
    Enter: () => {
      act(row, turn)
    },
  }
}

interface RowProps {
  readonly row: Row
  readonly isCurrent: boolean
  readonly isIn: () => void
  readonly click: (isArrow: boolean) => void
}

function TreeRow({ row, isCurrent, isIn, click }: RowProps): ComponentChildren {
  const { node, level, isOpen, position, siblings } = row
  return (
    <div
      role="treeitem"
      class="row"
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={node.children === undefined ? undefined : isOpen}
      aria-checked={node.isChecked}
      aria-selected={isCurrent}
      tabIndex={isCurrent ? 0 : -1}
      style={{ paddingInlineStart: `${String(level * 0.9 - 0.6)}rem` }}
      onFocus={isIn}
      onClick={({ target }) => {
        click(target instanceof Element && target.closest('.arrow') !== null)
      }}
    >
      <span class="arrow" aria-hidden="true">
        {node.children === undefined ? '' : isOpen ? '▾' : '▸'}
      </span>
      {node.isChecked === undefined ? null : <span class="box" aria-hidden="true" />}
      {node.label}
    </div>
  )
}

/** A tree in the ARIA pattern: one tab stop, and arrow keys. */
export function Tree({ label, nodes, isOpenAtFirst, of }: TreeProps): ComponentChildren {
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set())
  const [current, setCurrent] = useState<string | null>(null)
  const place = useRef<HTMLDivElement>(null)
  const wantsFocus = useRef(false)
  useEffect(() => {
    setTurned(new Set())
    setCurrent(null)
  }, [of])
  // Synchronous: a key pressed before the focus has moved would start at the old row.
  useLayoutEffect(() => {
    if (!wantsFocus.current) return
    wantsFocus.current = false
    place.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
  })

  const rows = rowsOf(nodes, (node, level) => turned.has(node.id) !== isOpenAtFirst(node, level))
  const index = Math.max(
    0,
    rows.findIndex(({ node }) => node.id === current),
  )
  const goTo = (next: number): void => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, next))]
    wantsFocus.current = true
    setCurrent(row?.node.id ?? null)
  }
  const turn = ({ id }: TreeNode): void => {
    setTurned((before) =>
      before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id]),
    )
  }
  const moving: Moving = { rows, index, goTo, turn }
  const onKey = (event: KeyboardEvent): void => {
    const row = rows[index]
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const known = keysOf(row, moving)[event.key]
    if (known !== undefined) known()
    else if (event.key.length === 1) goTo(startingWith(event.key, moving))
    else return
    event.preventDefault()
  }
  return (
    <div class="tree" role="tree" aria-label={label} ref={place} onKeyDown={onKey}>
      {rows.map((row, at) => (
        <TreeRow
          key={row.node.id}
          row={row}
          isCurrent={at === index}
          isIn={() => {
            setCurrent(row.node.id)
          }}
          click={(isArrow) => {
            goTo(at)
            if (isArrow && row.node.children !== undefined) turn(row.node)
            else act(row, turn)
          }}
        />
      ))}
    </div>
  )
}
