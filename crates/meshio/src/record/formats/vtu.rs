//! VTK's XML unstructured grids, one file per frame, and the ParaView collection with their times.
//!
//! `frames/NNNNN.vtu`: appended raw binary, zlib blocks, `header_type` UInt64, little endian (VTK File Formats,
//! "XML file formats"). Points are current positions; point data are `displacement` = position − rest and `velocity`;
//! cell data are `body` and the frame's fields. Coordinates are Float64, without loss of precision. The topology is
//! compressed once at a high level, the rest at a fast one.
//!
//! `series.pvd` is replaced after every frame: an interrupted run can be opened up to its last frame. After a resume
//! (first frame not 0) the earlier entries of `series.pvd` stay. Frames of an earlier, longer run are removed when the
//! recording is finished.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::record::error::RecordError;
use crate::record::file::{create_folder, remove_after, write_atomically};
use crate::record::pvd::PvdSeries;
use crate::record::zlib_blocks::BlockCompressor;
use crate::record::{Frame, OutputMesh, Recorder};

/// zlib level of data that change from frame to frame.
const FRAME_LEVEL: u32 = 1;
/// zlib level of data that are compressed once.
const STATIC_LEVEL: u32 = 5;

/// Recorder that writes `frames/NNNNN.vtu` and `series.pvd` into a folder.
pub struct VtuSeries {
    folder: PathBuf,
    rest: Vec<[f64; 3]>,
    cells: usize,
    static_arrays: StaticArrays,
    series: PvdSeries,
    last: Option<usize>,
    compressor: BlockCompressor,
    head: String,
    data: Vec<u8>,
}

/// Compressed arrays that are the same in all frames, and their offsets.
struct StaticArrays {
    data: Vec<u8>,
    connectivity: usize,
    offsets: usize,
    types: usize,
    body: usize,
}

impl VtuSeries {
    /// Creates `dir/frames` and compresses the topology; files are created with the first frame.
    pub fn new(dir: &Path, output_mesh: &OutputMesh) -> io::Result<VtuSeries> {
        let mesh = &output_mesh.mesh;
        if output_mesh.cell_body.len() != mesh.len() {
            return Err(RecordError::OutputMesh {
                what: "cell bodies",
                wanted: mesh.len(),
                found: output_mesh.cell_body.len(),
            }
            .into());
        }
        create_folder(&dir.join("frames"))?;
        Ok(VtuSeries {
            folder: dir.to_path_buf(),
            rest: mesh.points.clone(),
            cells: mesh.len(),
            static_arrays: StaticArrays::of(output_mesh)?,
            series: PvdSeries::new(dir.join("series.pvd")),
            last: None,
            compressor: BlockCompressor::new(FRAME_LEVEL),
            head: String::new(),
            data: Vec::new(),
        })
    }

    fn check_counts(&self, frame: &Frame) -> Result<(), RecordError> {
        let points = self.rest.len();
        let index = frame.index;
        let fields = frame
            .cell_fields
            .iter()
            .map(|(name, values)| (format!("values of \"{name}\""), self.cells, values.len()));
        let vectors = frame
            .point_fields
            .iter()
            .map(|(name, values)| (format!("vectors of \"{name}\""), points, values.len()));
        let scalars = frame
            .point_scalars
            .iter()
            .map(|(name, values)| (format!("values of \"{name}\""), points, values.len()));
        let counts = [
            ("positions".to_string(), points, frame.positions.len()),
            ("velocities".to_string(), points, frame.velocities.len()),
        ];
        for (what, wanted, found) in counts
            .into_iter()
            .chain(fields)
            .chain(vectors)
            .chain(scalars)
        {
            if wanted != found {
                return Err(RecordError::Count {
                    index,
                    what,
                    wanted,
                    found,
                });
            }
        }
        for (i, (name, _)) in frame.cell_fields.iter().enumerate() {
            if *name == "body"
                || frame.cell_fields[..i]
                    .iter()
                    .any(|(other, _)| other == name)
            {
                let name = name.to_string();
                return Err(RecordError::DuplicateField { index, name });
            }
        }
        Ok(())
    }

    /// Fills `head` with the XML and `data` with the arrays of the frame, which follow the static arrays.
    fn encode(&mut self, frame: &Frame) -> io::Result<()> {
        let VtuSeries {
            static_arrays,
            compressor,
            head,
            data,
            rest,
            cells,
            ..
        } = self;
        data.clear();
        head.clear();
        let base = static_arrays.data.len();
        let vectors = |of: &[[f64; 3]], data: &mut Vec<u8>, compressor: &mut BlockCompressor| {
            let at = base + data.len();
            compressor
                .compress(of.iter().flatten(), |x| x.to_le_bytes(), data)
                .map(|()| at)
        };
        let points = vectors(frame.positions, data, compressor)?;
        let velocity = vectors(frame.velocities, data, compressor)?;
        let displacement = base + data.len();
        let moved = frame.positions.iter().zip(rest.iter());
        let moved = moved.flat_map(|(x, rest)| [x[0] - rest[0], x[1] - rest[1], x[2] - rest[2]]);
        compressor.compress(moved, f64::to_le_bytes, data)?;

        head.push_str(concat!(
            "<?xml version=\"1.0\"?>\n",
            "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" ",
            "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n<UnstructuredGrid>\n",
            "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">"
        ));
        head.push_str(&format!("{}</DataArray>\n</FieldData>\n", frame.t));
        head.push_str(&format!(
            "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{cells}\">\n",
            rest.len()
        ));
        head.push_str("<PointData Vectors=\"displacement\">\n");
        push_array(head, "Float64", "displacement", 3, displacement);
        push_array(head, "Float64", "velocity", 3, velocity);
        for (name, values) in frame.point_fields {
            let at = vectors(values, data, compressor)?;
            push_array(head, "Float64", &escaped(name), 3, at);
        }
        for (name, values) in frame.point_scalars {
            push_array(head, "Float64", &escaped(name), 1, base + data.len());
            compressor.compress(values.iter(), |x| x.to_le_bytes(), data)?;
        }
        head.push_str("</PointData>\n<CellData>\n");
        push_array(head, "Int32", "body", 1, static_arrays.body);
        for (name, values) in frame.cell_fields {
            push_array(head, "Float64", &escaped(name), 1, base + data.len());
            compressor.compress(values.iter(), |x| x.to_le_bytes(), data)?;
        }
        head.push_str("</CellData>\n<Points>\n");
        push_array(head, "Float64", "Points", 3, points);
        head.push_str("</Points>\n<Cells>\n");
        push_array(head, "Int64", "connectivity", 1, static_arrays.connectivity);
        push_array(head, "Int64", "offsets", 1, static_arrays.offsets);
        push_array(head, "UInt8", "types", 1, static_arrays.types);
        head.push_str(
            "</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_",
        );
        Ok(())
    }
}

impl Recorder for VtuSeries {
    fn frame(&mut self, frame: &Frame) -> io::Result<()> {
        self.check_counts(frame)?;
        self.encode(frame)?;
        let name = format!("frames/{:05}.vtu", frame.index);
        write_atomically(&self.folder.join(&name), |out| {
            out.write_all(self.head.as_bytes())?;
            out.write_all(&self.static_arrays.data)?;
            out.write_all(&self.data)?;
            out.write_all(b"\n</AppendedData>\n</VTKFile>\n")
        })?;
        self.last = Some(frame.index);
        self.series.add(frame.index, frame.t, &name)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.series.finish()?;
        let frames = self.folder.join("frames");
        self.last
            .map_or(Ok(()), |last| remove_after(&frames, "vtu", last))
    }
}

impl StaticArrays {
    fn of(output_mesh: &OutputMesh) -> io::Result<StaticArrays> {
        let mesh = &output_mesh.mesh;
        let mut compressor = BlockCompressor::new(STATIC_LEVEL);
        let mut data = Vec::new();
        let connectivity = data.len();
        compressor.compress(
            mesh.nodes.iter(),
            |&n| i64::from(n).to_le_bytes(),
            &mut data,
        )?;
        let offsets = data.len();
        let ends = mesh.starts.iter().skip(1);
        compressor.compress(ends, |&n| i64::from(n).to_le_bytes(), &mut data)?;
        let types = data.len();
        compressor.compress(mesh.kinds.iter(), |k| [k.info().vtk], &mut data)?;
        let body = data.len();
        let bodies = output_mesh.cell_body.iter();
        compressor.compress(bodies, |&b| b.cast_signed().to_le_bytes(), &mut data)?;
        data.shrink_to_fit();
        Ok(StaticArrays {
            data,
            connectivity,
            offsets,
            types,
            body,
        })
    }
}

fn push_array(head: &mut String, kind: &str, name: &str, components: usize, offset: usize) {
    head.push_str(&format!(
        "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"appended\" \
         offset=\"{offset}\"/>\n"
    ));
}

/// Escapes a name for an XML attribute.
fn escaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
