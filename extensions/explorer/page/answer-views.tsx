import type { ComponentChildren } from 'preact'
import { type Entry, isEntry } from './entry'
import { plainText, withoutTurns } from './plain-text'
import { type TypeData, titleOf } from './page-data'

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
  readonly type: TypeData | null
  readonly open: (documentId: string) => void
}

export function AnswerTable({ entries, type, open }: TableProps): ComponentChildren {
  const names = [...new Set(entries.flatMap((entry) => Object.keys(entry)))]
  const title = type === null ? null : titleOf(type)
  const late = ['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale']
  const weight = (name: string): number => (name === title ? 0 : late.includes(name) ? 2 : 1)
  const columns = names.sort((one, other) => weight(one) - weight(other))
  const isFollowed = type !== null && type.path !== null && type.reads.includes('findOne')
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Response as a table">
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
                  <td key={name}>
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
  /** The other host of the picture; null for a picture of this host. */
  readonly elsewhere: string | null
}

const isPicture = (value: Entry): boolean =>
  typeof value['url'] === 'string' && typeof value['mime'] === 'string' && value['mime'].startsWith('image/')

function elsewhereOf(url: string): string | null {
  const address = URL.canParse(url, location.href) ? new URL(url, location.href) : null
  if (address?.origin === location.origin) return null
  return address !== null && /^https?:$/.test(address.protocol) ? 'on another host' : 'invalid URL'
}

/** Pictures of other hosts are named and not loaded. */
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
    <ul class="pictures" aria-label="Pictures in the response">
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
