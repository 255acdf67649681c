import React from 'react'
type P = { a: number; children?: React.ReactNode }
export const Comp = <T,>({ a, children }: P) => {
  const [s, set] = React.useState<number | null>(null)
  return <div id="x" onClick={() => set(a + 1)}>{children}{s ? <b>yes</b> : <i/>}</div>
}
