/**
 * Watches the raw bytes of a WebSocket and calls `onOversized` for each data frame above `limit` bytes. Needed because
 * `ws` limits whole messages only, while API Gateway closes on a single large frame, which is how browsers send.
 */
export function frameGuard(limit: number, onOversized: () => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let skip = 0;
  return (chunk) => {
    let data: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const skipped = Math.min(skip, data.length);
      skip -= skipped;
      data = data.subarray(skipped);
      const frame = skip === 0 ? frameHeader(data) : undefined;
      if (!frame) break;
      if (frame.payload > limit) onOversized();
      data = data.subarray(frame.size);
      skip = frame.payload;
    }
    rest = data;
  };
}

/** Sizes of the frame that starts here (RFC 6455, section 5.2), or undefined while its header is incomplete. */
function frameHeader(data: Buffer): { size: number; payload: number } | undefined {
  const second = data[1];
  if (second === undefined) return undefined;
  const short = second & 0x7f;
  const extension = short === 126 ? 2 : short === 127 ? 8 : 0;
  const size = 2 + extension + (second & 0x80 ? 4 : 0);
  if (data.length < size) return undefined;
  const payload =
    extension === 2 ? data.readUInt16BE(2) : extension === 8 ? Number(data.readBigUInt64BE(2)) : short;
  return { size, payload };
}
