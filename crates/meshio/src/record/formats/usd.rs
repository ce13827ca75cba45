//! USD as text, one file: `skin.usda`, with a mesh per body and time-sampled points and normals.
//!
//! Blender and Houdini import it as animated geometry. Time codes are frame numbers at the scene's `fps`; y is up, one
//! unit is a metre. Points have as many digits as f32 needs, normals three decimals: about 55 bytes per vertex and frame.
//! For large meshes or long motions the point cache is smaller.
//!
//! Frames are stored in `skin.usda.frames` (module `frame_log`); `skin.usda` is written at the end, in constant memory.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::record::file::{create_folder, write_atomically};
use crate::record::frame_log::FrameLog;
use crate::record::skin::{Part, Skin};
use crate::record::{Frame, OutputMesh, Recorder};

/// Recorder that writes the animated surface to `skin.usda` in a folder.
pub struct Usd {
    path: PathBuf,
    skin: Skin,
    log: FrameLog,
    fps: f64,
}

impl Usd {
    /// Creates the folder; `skin.usda` is written when the recording is finished.
    pub fn new(dir: &Path, output_mesh: &OutputMesh, fps: f64) -> io::Result<Usd> {
        let skin = Skin::new(output_mesh)?;
        create_folder(dir)?;
        Ok(Usd {
            path: dir.join("skin.usda"),
            skin,
            log: FrameLog::new(dir.join("skin.usda.frames")),
            fps,
        })
    }

    /// Writes the time samples of one property over all frames.
    fn samples(
        &mut self,
        out: &mut impl Write,
        property: &str,
        mut write: impl FnMut(&mut dyn Write, &Skin, &[[f64; 3]]) -> io::Result<()>,
    ) -> io::Result<()> {
        writeln!(out, "        {property}.timeSamples = {{")?;
        let mut positions = Vec::new();
        for k in 0..self.log.frames() {
            let mark = self.log.read(k, &mut positions)?;
            write!(out, "            {}: [", mark.index)?;
            write(out, &self.skin, &positions)?;
            writeln!(out, "],")?;
        }
        writeln!(out, "        }}")
    }

    fn mesh(&mut self, out: &mut impl Write, part: &Part, name: &str) -> io::Result<()> {
        writeln!(
            out,
            "    def Mesh \"{name}\" (\n        customData = {{\n            string body = {}",
            quoted(&part.name)
        )?;
        writeln!(
            out,
            "        }}\n    )\n    {{\n        uniform bool doubleSided = 1"
        )?;
        self.samples(out, "float3[] extent", |out, _, positions| {
            let own = || part.vertices.iter().map(|&v| positions[v as usize]);
            let low = own().fold([f64::INFINITY; 3], |a, p| {
                std::array::from_fn(|i| a[i].min(p[i]))
            });
            let high = own().fold([f64::NEG_INFINITY; 3], |a, p| {
                std::array::from_fn(|i| a[i].max(p[i]))
            });
            list(out, [low, high].map(|p| p.map(|x| x as f32)).iter(), number)
        })?;
        write!(out, "        int[] faceVertexCounts = [")?;
        list(out, part.triangles.iter(), |out, _| write!(out, "3"))?;
        write!(out, "]\n        int[] faceVertexIndices = [")?;
        list(out, part.triangles.iter().flatten(), |out, v| {
            write!(out, "{v}")
        })?;
        writeln!(out, "]")?;
        let mut normals = Vec::new();
        self.samples(out, "normal3f[] normals", |out, skin, positions| {
            skin.normals(positions, &mut normals);
            list(
                out,
                part.vertices.iter().map(|&v| normals[v as usize]),
                |out, n| write!(out, "({:.3}, {:.3}, {:.3})", n[0], n[1], n[2]),
            )
        })?;
        // The interpolation is metadata of the property; time samples cannot contain it.
        writeln!(
            out,
            "        normal3f[] normals (\n            interpolation = \"vertex\"\n        )"
        )?;
        self.samples(out, "point3f[] points", |out, _, positions| {
            let own = part
                .vertices
                .iter()
                .map(|&v| positions[v as usize].map(|x| x as f32));
            list(out, own, |out, p| number(out, &p))
        })?;
        let [r, g, b] = part.colour;
        writeln!(
            out,
            "        color3f[] primvars:displayColor = [({r}, {g}, {b})]"
        )?;
        writeln!(
            out,
            "        uniform token subdivisionScheme = \"none\"\n    }}\n"
        )
    }
}

impl Recorder for Usd {
    fn frame(&mut self, frame: &Frame) -> io::Result<()> {
        self.log.add(frame, &self.skin)
    }

    fn finish(&mut self) -> io::Result<()> {
        let frames = self.log.frames();
        if frames == 0 {
            return Ok(());
        }
        let mut scratch = Vec::new();
        let first = self.log.read(0, &mut scratch)?.index;
        let last = self.log.read(frames - 1, &mut scratch)?.index;
        let parts = self.skin.parts.clone();
        let names = identifiers(&parts);
        let path = self.path.clone();
        write_atomically(&path, |out| {
            let fps = self.fps;
            writeln!(
                out,
                "#usda 1.0\n(\n    defaultPrim = \"Supple\"\n    endTimeCode = {last}\n    framesPerSecond = {fps}"
            )?;
            writeln!(
                out,
                "    metersPerUnit = 1\n    startTimeCode = {first}\n    timeCodesPerSecond = {fps}"
            )?;
            writeln!(out, "    upAxis = \"Y\"\n)\n\ndef Xform \"Supple\"\n{{")?;
            for (part, name) in parts.iter().zip(&names) {
                self.mesh(out, part, name)?;
            }
            writeln!(out, "}}")
        })
    }
}

/// Writes items separated by commas.
fn list<W: Write + ?Sized, T>(
    out: &mut W,
    items: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut W, T) -> io::Result<()>,
) -> io::Result<()> {
    for (i, item) in items.enumerate() {
        if i > 0 {
            out.write_all(b", ")?;
        }
        write(out, item)?;
    }
    Ok(())
}

/// Writes a triple of numbers; USD accepts `inf` and `nan`.
fn number<W: Write + ?Sized>(out: &mut W, [x, y, z]: &[f32; 3]) -> io::Result<()> {
    let word = |x: &f32| {
        if x.is_nan() {
            "nan".to_string()
        } else {
            x.to_string()
        }
    };
    write!(out, "({}, {}, {})", word(x), word(y), word(z))
}

/// Returns unique names that USD allows: letters, digits and underscores, not starting with a digit.
fn identifiers(parts: &[Part]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(parts.len());
    for part in parts {
        let mut name: String = part
            .name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            name.insert(0, '_');
        }
        let mut own = name.clone();
        let mut count = 2;
        while names.contains(&own) {
            own = format!("{name}_{count}");
            count += 1;
        }
        names.push(own);
    }
    names
}

/// Returns a quoted USD string.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
