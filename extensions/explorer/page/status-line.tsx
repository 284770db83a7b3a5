import type { ComponentChildren } from 'preact'
import type { Answer } from './answer'
import { isEntry } from './entry'
import { isFromMemory, inBytes, inMs } from './server-times'

const inWords: Readonly<Record<number, string>> = {
  200: 'OK',
  204: 'No Content',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  414: 'URI Too Long',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

function countOf({ body, text }: Answer): readonly string[] {
  const { data, meta } = isEntry(body) ? body : {}
  if (!Array.isArray(data)) return []
  const pagination = isEntry(meta) && isEntry(meta['pagination']) ? meta['pagination'] : {}
  const total = typeof pagination['total'] === 'number' ? pagination['total'] : null
  const [one, several] = /\/aggregate(?:\?|$)/.test(text) ? ['group', 'groups'] : ['entry', 'entries']
  if (data.length === 0) return [`no ${several}`]
  const all = total === null ? '' : ` of ${String(total)}`
  return [`${String(data.length)}${all} ${(total ?? data.length) === 1 ? one : several}`]
}

function originOf({ status, timing }: Answer): readonly string[] {
  if (status !== 200 || timing === null) return []
  return [isFromMemory(timing) ? 'cache hit' : 'read from the database']
}

export function StatusLine({ answer }: { answer: Answer }): ComponentChildren {
  const { status, ms, size, role, oddity } = answer
  if (status === 0) return oddity
  return (
    <>
      <b class="code">{`${String(status)} ${inWords[status] ?? ''}`.trim()}</b>
      {role === '' ? ' ' : ` as ${role}, `}
      {[...countOf(answer), inMs(ms), inBytes(size), ...originOf(answer)].join(', ')}
      {oddity === null ? null : <span class="oddity"> {oddity}</span>}
    </>
  )
}
