const pieces = /(\s+|\\\r?\n)|'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|([^\s'"\\]+)/g

/** The words of a shell command. */
function wordsIn(line: string): readonly string[] {
  const words: string[] = []
  let word: string | null = null
  for (const [, space, single, double, escaped, bare] of line.matchAll(pieces)) {
    if (space !== undefined) {
      if (word !== null) words.push(word)
      word = null
    } else word = `${word ?? ''}${single ?? double?.replace(/\\([^])/g, '$1') ?? escaped ?? bare ?? ''}`
  }
  return word === null ? words : [...words, word]
}

/** Flags of curl that take a value. */
const withValue = /^(-[AbeHmouxX]|--(header|request|user|user-agent|cookie|output|max-time|proxy|referer))$/
const ofData = /^(-d|--data|--data-raw|--data-binary|--data-ascii|--data-urlencode)(?:=(.*))?$/s

/** `name=value` with the value encoded; without a name, all of it. */
function encodedPair(text: string): string {
  const at = text.indexOf('=')
  return `${text.slice(0, Math.max(0, at))}${at > 0 ? '=' : ''}${encodeURIComponent(text.slice(at + 1))}`
}

/** The URL of a curl command; null for a command that sends data. */
export function addressInShell(line: string): string | null {
  const [, ...words] = wordsIn(line.trim())
  const data: string[] = []
  let [address, isGet, isSent] = ['', false, false]
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    const [, flag, own] = ofData.exec(word) ?? []
    if (flag !== undefined) {
      const value = own ?? words[(at += 1)] ?? ''
      data.push(flag === '--data-urlencode' ? encodedPair(value) : value)
    } else if (word === '-X' || word === '--request') isSent = !/^(GET|HEAD)$/i.test(words[(at += 1)] ?? '')
    else if (withValue.test(word)) at += 1
    else if (word === '--get' || /^-[a-zA-Z]*G[a-zA-Z]*$/.test(word)) isGet = true
    else if (!word.startsWith('-') && address === '') address = word
  }
  if (isSent || (data.length > 0 && !isGet)) return null
  return data.length === 0 ? address : `${address}${address.includes('?') ? '&' : '?'}${data.join('&')}`
}
