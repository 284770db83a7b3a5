import { useEffect, useState } from 'preact/hooks'
import { type Asking, ask } from './answer'
import { entriesOf } from './entry'
import type { TypeData } from './page-data'

/** Each round excludes the locales found before, so few rounds are enough. */
const mostRounds = 6

const isLookedIn = ({ kind, path, reads, localized, onlyByName, scalars }: TypeData): boolean =>
  kind === 'collectionType' &&
  path !== null &&
  localized &&
  !onlyByName &&
  reads.includes('find') &&
  scalars.some(({ name }) => name === 'locale')

/** Another type if this one has no list: locales belong to a whole site. */
function typeWithLocales(types: readonly TypeData[], type: TypeData | undefined): TypeData | undefined {
  if (type?.localized !== true) return undefined
  return isLookedIn(type) ? type : types.find(isLookedIn)
}

async function localesOf(type: TypeData, asking: Asking, signal: AbortSignal): Promise<readonly string[]> {
  const alone = { ...asking, pageData: { ...asking.pageData, isBeside: false }, isExplained: false }
  const found: string[] = []
  for (let round = 0; round < mostRounds; round++) {
    const others = found.map((locale, at) => `&filters[locale][$notIn][${String(at)}]=${locale}`).join('')
    const page = 'pagination[pageSize]=100&pagination[withCount]=false'
    const text = `${asking.pageData.at}/${type.path ?? ''}?locale=*&fields[0]=locale&${page}${others}`
    const { body } = await ask(text, alone, signal)
    const locales = entriesOf(body).flatMap(({ locale }) => (typeof locale === 'string' ? [locale] : []))
    const fresh = [...new Set(locales)].filter((locale) => !found.includes(locale))
    if (fresh.length === 0) break
    found.push(...fresh)
  }
  return found.sort()
}

/** Empty until they are known, and if they cannot be read. */
export function useLocales(asking: Asking | null, type: TypeData | undefined): readonly string[] {
  const [locales, setLocales] = useState<readonly string[]>([])
  const asked = asking === null ? undefined : typeWithLocales(asking.pageData.types, type)
  useEffect(() => {
    setLocales([])
    if (asking === null || asked === undefined) return
    const controller = new AbortController()
    localesOf(asked, asking, controller.signal).then(setLocales, () => undefined)
    return () => {
      controller.abort()
    }
  }, [asked?.uid, asking?.role, asking?.token])
  return locales
}
