import { useEffect, useRef, useState } from 'preact/hooks'
import { type Answer, ask, askBeside, readPageData } from './answer'
import { formatAddress, withoutMount } from './address'
import { hashOf, isSameLink, linkIn, type PageLink } from './page-link'
import { messageOf } from './plain-text'
import { type PageData, titleOf } from './page-data'

interface Standing extends PageLink {
  readonly pageData: PageData | null
  readonly token: string
  readonly answer: Answer | null
  readonly isPending: boolean
  readonly isExplained: boolean
  readonly trouble: string | null
  readonly asked: readonly PageLink[]
}

export interface Session extends Standing {
  readonly write: (text: string) => void
  readonly ask: (text?: string) => void
  readonly askAs: (role: string) => void
  readonly useToken: (token: string) => void
  readonly open: (link: PageLink) => void
  readonly explain: (isExplained: boolean) => void
  readonly stop: () => void
}

/** A first query: the list of the first type. */
function firstText({ types, at }: PageData): string {
  const listed = types.filter(({ path, reads }) => path !== null && reads.includes('find'))
  const type = listed.find(({ kind }) => kind === 'collectionType') ?? listed[0]
  if (type === undefined || type.path === null) return `${at}/`
  const title = titleOf(type)
  const sort: { sort?: string } = title === null ? {} : { sort: title }
  const [named] = type.onlyByName ? type.queries : []
  if (named !== undefined) return formatAddress({ path: [type.path], query: { query: named.name } }, at)
  const query = type.kind === 'collectionType' ? { pagination: { pageSize: '10' }, ...sort } : {}
  return formatAddress({ path: [type.path], query }, at)
}

const longestHistory = 50

const withLink = (asked: readonly PageLink[], link: PageLink): readonly PageLink[] =>
  [link, ...asked.filter((one) => !isSameLink(one, link))].slice(0, longestHistory)

const empty = 'The query is empty. Choose a content type, or write a query.'

const atFirst: Standing = {
  ...{
    pageData: null,
    token: '',
    answer: null,
    isPending: false,
    isExplained: false,
    trouble: null,
    asked: [],
  },
  ...(linkIn(location.hash) ?? { role: '', text: '' }),
}

type Change = (part: Partial<Standing>) => void

/** Types are read again if the role or token changes. */
type Put = (link: PageLink, who: Pick<Standing, 'token' | 'pageData' | 'isExplained'>) => void

/** Only the latest request counts: late responses to earlier ones are dropped. */
function usePut(standing: Standing, change: Change): { readonly put: Put; readonly stop: () => void } {
  const last = useRef<AbortController | null>(null)
  const put: Put = (link, { token, pageData, isExplained }) => {
    last.current?.abort()
    const controller = new AbortController()
    last.current = controller
    const { signal } = controller
    change({ ...link, token, isExplained, isPending: true, answer: null, trouble: null })
    const finish = async (): Promise<Partial<Standing>> => {
      const facts = pageData ?? (await readPageData({ role: link.role, token }))
      const text = link.text === '' ? firstText(facts) : link.text
      // Types are shown even without a response.
      if (!signal.aborted)
        change({ pageData: facts, text, asked: withLink(standing.asked, { ...link, text }) })
      const asking = { pageData: facts, role: link.role, token, isExplained }
      const answer = await ask(text, asking, signal)
      if (!facts.isBeside) return { answer }
      // Another server may be slow or fail.
      end({ answer: { ...answer, beside: 'awaited' } })
      const beside = await askBeside(text, asking, signal).catch((error: unknown) => ({
        problem: messageOf(error),
      }))
      return { answer: { ...answer, beside } }
    }
    const end: Change = (part) => {
      if (!signal.aborted) change({ ...part, isPending: false })
    }
    finish().then(end, (error: unknown) => {
      end({ trouble: `No response: ${messageOf(error)}` })
    })
  }
  const stop = (): void => {
    last.current?.abort()
    change({ isPending: false, trouble: 'The request was canceled.' })
  }
  return { put, stop }
}

/** Query and response of the page. All panes show and change the query's text. */
export function useSession(): Session {
  const [standing, setStanding] = useState(atFirst)
  const change: Change = (part) => {
    setStanding((before) => ({ ...before, ...part }))
  }
  const { put, stop } = usePut(standing, change)
  const now = useRef({ standing, put })
  now.current = { standing, put }
  const { pageData, text, role, token, isExplained } = standing

  const go: Put = (link, who) => {
    const hash = hashOf(link)
    if (location.hash !== hash) history.pushState(null, '', hash)
    put(link, who)
  }
  useEffect(() => {
    put({ role, text }, { token, pageData, isExplained })
    const back = (): void => {
      const link = linkIn(location.hash)
      const { standing: last } = now.current
      if (link !== null)
        now.current.put(link, { ...last, pageData: link.role === last.role ? last.pageData : null })
    }
    addEventListener('popstate', back)
    return () => {
      removeEventListener('popstate', back)
    }
  }, [])
  useEffect(() => {
    if (linkIn(location.hash) === null && text !== '') history.replaceState(null, '', hashOf({ role, text }))
  }, [text])

  return {
    ...standing,
    stop,
    write: (next) => {
      change({ text: next })
    },
    ask: (given = text) => {
      if (pageData === null) return
      if (given.trim() === '') change({ text: given, answer: null, trouble: empty })
      else {
        const text = `${pageData.at.replace(/\/$/, '')}/${withoutMount(given, pageData.at)}`
        go({ role, text }, { token, pageData, isExplained })
      }
    },
    explain: (next) => {
      put({ role, text }, { token, pageData, isExplained: next })
    },
    askAs: (next) => {
      go({ role: next, text }, { token, pageData: null, isExplained })
    },
    useToken: (next) => {
      go({ role, text }, { token: next, pageData: null, isExplained })
    },
    open: (link) => {
      go(link, { token, pageData: link.role === role ? pageData : null, isExplained })
    },
  }
}
