import type { ComponentChildren } from 'preact'
import { type Entry, isEntry } from './entry'
import { plainText, withoutTurns } from './plain-text'
import { type ToldType, titleOf } from './told'

const cell = (value: unknown): string => withoutTurns(shortText(value))

function shortText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return String(value.length)
  if (isEntry(value))
    return plainText(
      value['title'] ?? value['name'] ?? value['documentId'] ?? `{${String(Object.keys(value).length)}}`,
    )
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

interface TableProps {
  readonly entries: readonly Entry[]
  readonly type: ToldType | null
  readonly open: (documentId: string) => void
}

/** A list as rows, the title first. */
export function AnswerTable({ entries, type, open }: TableProps): ComponentChildren {
  const names = [...new Set(entries.flatMap((entry) => Object.keys(entry)))]
  const title = type === null ? null : titleOf(type)
  const late = ['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale']
  const weight = (name: string): number => (name === title ? 0 : late.includes(name) ? 2 : 1)
  const columns = names.sort((one, other) => weight(one) - weight(other))
  const isFollowed = type !== null && type.path !== null && type.reads.includes('findOne')
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Answer as a table">
      <table>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {entries.map((entry, row) => (
            <tr key={row}>
              {columns.map((name, at) => {
                const documentId = entry['documentId']
                const text = cell(entry[name])
                return (
                  <td key={name} class={at === 0 ? 'title' : ''}>
                    {at === 0 && isFollowed && typeof documentId === 'string' ? (
                      <button
                        type="button"
                        class="link"
                        onClick={() => {
                          open(documentId)
                        }}
                      >
                        {text === '' ? documentId : text}
                      </button>
                    ) : (
                      text
                    )}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface Picture {
  readonly url: string
  readonly name: string
  readonly about: string
  /** Where it would come from, where that is not here. */
  readonly elsewhere: string | null
}

const isPicture = (value: Entry): boolean =>
  typeof value['url'] === 'string' && typeof value['mime'] === 'string' && value['mime'].startsWith('image/')

function elsewhereOf(url: string): string | null {
  const address = URL.canParse(url, location.href) ? new URL(url, location.href) : null
  if (address?.origin === location.origin) return null
  return address !== null && /^https?:$/.test(address.protocol)
    ? 'on another host'
    : 'no address of a picture'
}

/** Pictures of other hosts are named and not asked for. */
function pictureOf(value: Entry): Picture {
  const { formats } = value
  const small = isEntry(formats) ? (formats['thumbnail'] ?? formats['small']) : undefined
  const url = String(isEntry(small) && typeof small['url'] === 'string' ? small['url'] : value['url'])
  return {
    url,
    name: plainText(value['name'] ?? url),
    about: plainText(value['alternativeText']),
    elsewhere: elsewhereOf(url),
  }
}

const mostPictures = 60
const longestAddress = 200

export function picturesIn(value: unknown, found = new Map<string, Picture>()): ReadonlyMap<string, Picture> {
  if (found.size >= mostPictures) return found
  if (Array.isArray(value)) for (const one of value) picturesIn(one, found)
  else if (isEntry(value)) {
    if (isPicture(value)) found.set(String(value['url']), pictureOf(value))
    else for (const one of Object.values(value)) picturesIn(one, found)
  }
  return found
}

export function Pictures({ pictures }: { pictures: readonly Picture[] }): ComponentChildren {
  return (
    <ul class="pictures" aria-label="Pictures in the answer">
      {pictures.map(({ url, name, about, elsewhere }) => (
        <li key={url}>
          {elsewhere === null ? (
            <img src={url} alt={about === '' ? name : about} loading="lazy" />
          ) : (
            <p class="elsewhere">
              Not shown, {elsewhere}: {url.slice(0, longestAddress)}
            </p>
          )}
          <span class="about">{name}</span>
        </li>
      ))}
    </ul>
  )
}

interface Prose {
  readonly path: string
  readonly value: unknown
}

const hasType = (value: unknown): value is Entry => isEntry(value) && typeof value['type'] === 'string'

/** One that is odd shall not hide the others. */
const isBlocks = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every(hasType) &&
  value.some(({ children }: Entry) => Array.isArray(children) && children.every(hasType))

/** What is longer is read better as a paragraph. */
const longestLine = 100

const isProse = (value: unknown): boolean =>
  (typeof value === 'string' && (value.length > longestLine || value.includes('\n'))) || isBlocks(value)

const mostTexts = 100

/** Long texts, and what Strapi's editor of blocks writes. */
export function proseIn(value: unknown, path = '', found: Prose[] = []): readonly Prose[] {
  if (found.length >= mostTexts) return found
  if (isProse(value)) found.push({ path, value })
  else if (Array.isArray(value))
    value.forEach((one, index) => {
      proseIn(one, `${path}[${String(index)}]`, found)
    })
  else if (isEntry(value))
    for (const [name, one] of Object.entries(value))
      proseIn(one, path === '' ? name : `${path}.${name}`, found)
  return found
}

const childrenOf = (block: Entry): readonly Entry[] =>
  Array.isArray(block['children']) ? block['children'].filter(isEntry) : []

/** Text alone: what a block links to is told and not linked, as anybody may have written it. */
function inline(part: Entry, at: number): ComponentChildren {
  if (part['type'] === 'link')
    return (
      <span key={at}>
        {childrenOf(part).map(inline)} ({plainText(part['url'])})
      </span>
    )
  const text = typeof part['text'] === 'string' ? part['text'] : childrenOf(part).map(inline)
  if (part['code'] === true) return <code key={at}>{text}</code>
  if (part['bold'] === true) return <strong key={at}>{text}</strong>
  return part['italic'] === true ? <em key={at}>{text}</em> : <span key={at}>{text}</span>
}

const known = ['paragraph', 'heading', 'list', 'quote', 'code', 'image']

function block(part: Entry, at: number): ComponentChildren {
  const children = childrenOf(part)
  if (!Array.isArray(part['children']) || !known.includes(String(part['type'])))
    return (
      <p key={at} class="about">
        [{plainText(part['type'])}: {children.length === 0 ? 'not to be read' : children.map(inline)}]
      </p>
    )
  switch (part['type']) {
    case 'heading':
      return (
        <p key={at} class="heading">
          {children.map(inline)}
        </p>
      )
    case 'list': {
      const items = children.map((item, index) => (
        <li key={index}>
          {childrenOf(item).map((one, place) =>
            one['type'] === 'list' ? block(one, place) : inline(one, place),
          )}
        </li>
      ))
      return part['format'] === 'ordered' ? <ol key={at}>{items}</ol> : <ul key={at}>{items}</ul>
    }
    case 'quote':
      return <blockquote key={at}>{children.map(inline)}</blockquote>
    case 'code':
      return <pre key={at}>{children.map(inline)}</pre>
    case 'image':
      return (
        <p key={at} class="about">
          [picture {isEntry(part['image']) ? plainText(part['image']['name']) : ''}]
        </p>
      )
    default:
      return <p key={at}>{children.map(inline)}</p>
  }
}

export function Texts({ texts }: { texts: readonly Prose[] }): ComponentChildren {
  return (
    <div class="texts">
      {texts.map(({ path, value }) => (
        <details key={path}>
          <summary>{path}</summary>
          {typeof value === 'string' ? <p class="prose">{value}</p> : (value as readonly Entry[]).map(block)}
        </details>
      ))}
    </div>
  )
}
