import { createHash } from 'node:crypto'
import type { Permitted } from '../access'
import { type Memory, once } from '../memory'
import { makeJoinBudget } from './inline-targets'
import { type Below, compileBelow, type Compiled, type Compiler, levelOf } from './compiled-level'
import type { Parents } from './joined-read'
import { pageReads } from './page-reads'
import { selectionOf } from './selection'
import { makeSigning, signatureBelow } from './signature'

/**
 * What hangs on pages, and what was compiled together with it: a plan holds none of it, so that it goes when what is kept
 * of it goes.
 */
export interface KeptBelowPage {
  readonly below: Below
  readonly compiled: WeakMap<Permitted, Compiled>
}

export type Compile = (permitted: Permitted) => Compiled

/** As many as a page has unless the options allow more. */
const fewRows = 100

const parentsOf = ({ page }: Permitted): Parents =>
  page === null ? 'one' : page.limit <= fewRows ? 'few' : 'many'

/** Equal for plans on whose pages the same hangs. */
const keyOf = (permitted: Permitted): string =>
  createHash('sha256')
    .update(`${parentsOf(permitted)} ${signatureBelow(permitted.root)}`)
    .digest('base64')

function hang(compiler: Compiler, permitted: Permitted): KeptBelowPage {
  const known = { compiler, signatureOf: makeSigning() }
  const below = compileBelow(known, permitted.root, parentsOf(permitted), makeJoinBudget())
  return { below, compiled: new WeakMap() }
}

function compilePage(compiler: Compiler, permitted: Permitted, below: Below): Compiled {
  const { root, page } = permitted
  const selection = selectionOf(root)
  return {
    root: levelOf(root, selection, below),
    page,
    ...pageReads(compiler, { ...permitted, selection, targets: below.targets }),
  }
}

/**
 * Compiles a plan once for as long as there is room for what hangs on its page. That comes again with every page and every
 * filter, and is most of what there is to compile.
 */
export function makeCompile(compiler: Compiler, kept: Memory<KeptBelowPage>): Compile {
  const keys = new WeakMap<Permitted, string>()
  const bare = new WeakMap<Permitted, KeptBelowPage>()
  const hangingOf = (permitted: Permitted): KeptBelowPage => {
    if (permitted.root.branches.length === 0) return once(bare, permitted, () => hang(compiler, permitted))
    const key = once(keys, permitted, () => keyOf(permitted))
    return once(kept, key, () => hang(compiler, permitted))
  }
  return (permitted) => {
    const { below, compiled } = hangingOf(permitted)
    return once(compiled, permitted, () => compilePage(compiler, permitted, below))
  }
}
