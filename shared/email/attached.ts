import type { ChannelFile } from '../agent/define/channel.ts';
import type { AttachedFile } from './send.ts';

/** Bytes of all files of one mail: with their encoding they stay below the 40 MB of a mail that SES sends. */
const MAX_BYTES = 20_000_000;

/** Extensions that SES sends no file with (its developer guide, "Amazon SES unsupported attachment types"). */
export const UNSENT: ReadonlySet<string> = new Set(
  `ade adp app asp bas bat cer chm cmd com cpl crt csh der exe fxp gadget hlp hta inf ins isp its js jse ksh lib lnk mad maf mag mam
  maq mar mas mat mau mav maw mda mdb mde mdt mdw mdz msc msh msh1 msh2 mshxml msh1xml msh2xml msi msp mst ops pcd pif plg prf prg reg
  scf scr sct shb shs sys ps1 ps1xml ps2 ps2xml psc1 psc2 tmp url vb vbe vbs vps vsmacros vss vst vsw vxd ws wsc wsf wsh xnk`.split(
    /\s+/,
  ),
);

/** The extension of a file's name, in small letters; undefined if it has none. */
export const extensionOf = (name: string): string | undefined => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase();

/** The files of a mail, and a sentence for each that it cannot have. Rejects if one cannot be read now. */
export async function attached(
  given: readonly ChannelFile[],
): Promise<{ readonly files: readonly AttachedFile[]; readonly leftOut: readonly string[] }> {
  const files: AttachedFile[] = [];
  const leftOut: string[] = [];
  let room = MAX_BYTES;
  for (const file of given) {
    const { name, bytes } = file;
    const extension = extensionOf(name);
    if (extension !== undefined && UNSENT.has(extension))
      leftOut.push(`[${name} is not attached: mails may not have files of the type .${extension}.]`);
    else if (bytes > room) leftOut.push(`[${name} is not attached: the mail would be too large.]`);
    else {
      const content = await file.read();
      if (!content || content.length === 0)
        leftOut.push(`[${name} is not attached: it can no longer be read.]`);
      else {
        // SES takes no name without an extension (`FileName` of its API v2).
        files.push({ name: extension === undefined ? `${name}.txt` : name, content });
        room -= content.length;
      }
    }
  }
  return { files, leftOut };
}
