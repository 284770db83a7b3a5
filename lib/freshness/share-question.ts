/**
 * Each request gets the answer to a question that was put after the request came, or at most `oldest` milliseconds before.
 * While one is under way that is too old for him, all who come share the next.
 */
export function shareQuestion<T>(ask: () => Promise<T>, oldest: number): () => Promise<T> {
  let underWay: { readonly answer: Promise<T>; readonly putAt: number } | undefined
  let next: Promise<T> | undefined
  const put = (): Promise<T> => {
    next = undefined
    const answer = ask().finally(() => {
      if (underWay?.answer === answer) underWay = undefined
    })
    underWay = { answer, putAt: performance.now() }
    return answer
  }
  return () => {
    if (underWay === undefined) return put()
    if (performance.now() - underWay.putAt < oldest) return underWay.answer
    next ??= underWay.answer.then(put, put)
    return next
  }
}
