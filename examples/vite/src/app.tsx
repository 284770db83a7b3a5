import { Suspense, use, useMemo, useState, useSyncExternalStore } from 'react'
import { type Article, articleAt, type Card, cardsOf, type Kind } from './api'

const kinds: readonly Kind[] = ['essay', 'walk', 'interview', 'notebook']

function Cards({ cards }: { readonly cards: Promise<readonly Card[]> }) {
  return (
    <ul>
      {use(cards).map(({ documentId, slug, title, author }) => (
        <li key={documentId}>
          <a href={`#${slug ?? ''}`}>{title}</a> by {author?.name ?? 'nobody'}
        </li>
      ))}
    </ul>
  )
}

function List() {
  const [kind, choose] = useState<Kind | null>(null)
  const cards = useMemo(() => cardsOf(kind === null ? kinds : [kind]), [kind])
  return (
    <>
      <h1>The Long Way</h1>
      <label>
        Kind{' '}
        <select
          value={kind ?? ''}
          onChange={({ target }) => choose(kinds.find((one) => one === target.value) ?? null)}
        >
          <option value="">all</option>
          {kinds.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <Suspense fallback={<p>…</p>}>
        <Cards cards={cards} />
      </Suspense>
    </>
  )
}

/** Elements of a zone are told apart by their component: in each branch its own attributes are known. */
function Section({ section }: { readonly section: Article['sections'][number] }) {
  switch (section.__component) {
    case 'story.prose':
      return (
        <section>
          <h2>{section.heading}</h2>
          <p>{section.text}</p>
        </section>
      )
    case 'shared.quote':
      return (
        <figure>
          <blockquote>{section.text}</blockquote>
          <figcaption>{section.saidBy}</figcaption>
        </figure>
      )
    default:
      return null
  }
}

function Page({ asked }: { readonly asked: Promise<Article | null> }) {
  const article = use(asked)
  if (article === null) return <h1>There is no such article</h1>
  const { title, standfirst, author, sections } = article
  return (
    <article>
      <h1>{title}</h1>
      <p>{standfirst}</p>
      {author !== null && (
        <address>
          {author.name}, {author.homeCity?.name}
        </address>
      )}
      {sections.map((section) => (
        <Section key={`${section.__component} ${section.id}`} section={section} />
      ))}
      <a href="#">All articles</a>
    </article>
  )
}

function Reading({ slug }: { readonly slug: string }) {
  const asked = useMemo(() => articleAt(slug), [slug])
  return (
    <Suspense fallback={<p>…</p>}>
      <Page asked={asked} />
    </Suspense>
  )
}

function onMove(tell: () => void): () => void {
  addEventListener('hashchange', tell)
  return () => removeEventListener('hashchange', tell)
}

export function App() {
  const slug = useSyncExternalStore(onMove, () => location.hash.slice(1))
  return <main>{slug === '' ? <List /> : <Reading slug={slug} />}</main>
}
