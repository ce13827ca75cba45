//! Colours and colour maps.
//!
//! A map is a table of anchor colours in sRGB, interpolated linearly. The anchors lie on paths of evenly rising lightness (the
//! diverging map: to the middle and back) in Oklab (B. Ottosson, "A perceptual color space for image processing",
//! 2020), with chroma limited to the sRGB gamut, so that equal steps of the field look equal.

/// A colour as red, green and blue in sRGB, 0 … 1.
pub type Rgb = [f32; 3];

/// A colour map from [0, 1] to colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourMap {
    /// Dark violet over green to yellow; for magnitudes.
    Meadow,
    /// Near-black over red to pale yellow; for energies and stresses.
    Ember,
    /// Blue over near-white to red; for signed fields.
    Tide,
}

const MEADOW: [Rgb; 9] = [
    [0.206, 0.051, 0.366],
    [0.191, 0.182, 0.509],
    [0.019, 0.316, 0.621],
    [0.010, 0.449, 0.605],
    [0.048, 0.567, 0.623],
    [0.000, 0.691, 0.623],
    [0.167, 0.816, 0.530],
    [0.613, 0.886, 0.392],
    [0.945, 0.928, 0.256],
];

const EMBER: [Rgb; 9] = [
    [0.132, 0.000, 0.229],
    [0.282, 0.003, 0.327],
    [0.463, 0.003, 0.369],
    [0.656, 0.011, 0.348],
    [0.851, 0.072, 0.236],
    [0.948, 0.339, 0.005],
    [0.974, 0.562, 0.020],
    [0.978, 0.753, 0.259],
    [0.951, 0.927, 0.581],
];

const TIDE: [Rgb; 9] = [
    [0.023, 0.284, 0.614],
    [0.263, 0.445, 0.714],
    [0.467, 0.604, 0.806],
    [0.681, 0.763, 0.884],
    [0.921, 0.921, 0.921],
    [0.876, 0.710, 0.700],
    [0.785, 0.513, 0.503],
    [0.675, 0.320, 0.319],
    [0.552, 0.098, 0.143],
];

impl ColourMap {
    /// All colour maps.
    pub const ALL: [ColourMap; 3] = [ColourMap::Meadow, ColourMap::Ember, ColourMap::Tide];

    /// Returns the name of the map in options and listings.
    pub const fn name(self) -> &'static str {
        match self {
            ColourMap::Meadow => "meadow",
            ColourMap::Ember => "ember",
            ColourMap::Tide => "tide",
        }
    }

    /// Returns the colour at `x` in [0, 1]; values outside are clamped, NaN is neutral grey.
    pub fn at(self, x: f64) -> Rgb {
        let table = match self {
            ColourMap::Meadow => &MEADOW,
            ColourMap::Ember => &EMBER,
            ColourMap::Tide => &TIDE,
        };
        if x.is_nan() {
            return [0.5; 3];
        }
        let s = x.clamp(0.0, 1.0) * (table.len() - 1) as f64;
        let i = (s as usize).min(table.len() - 2);
        let f = (s - i as f64) as f32;
        std::array::from_fn(|c| table[i][c] + f * (table[i + 1][c] - table[i][c]))
    }
}

/// Returns a muted colour for body number `i`; consecutive numbers differ.
pub fn body_colour(i: usize) -> Rgb {
    const BODIES: [Rgb; 8] = [
        [0.36, 0.56, 0.78],
        [0.90, 0.58, 0.36],
        [0.48, 0.69, 0.48],
        [0.80, 0.46, 0.51],
        [0.62, 0.54, 0.78],
        [0.86, 0.75, 0.42],
        [0.44, 0.70, 0.72],
        [0.72, 0.60, 0.52],
    ];
    BODIES[i % BODIES.len()]
}

/// Converts sRGB to linear light.
pub(crate) fn linear(c: Rgb) -> [f64; 3] {
    c.map(|c| {
        let c = f64::from(c);
        if c <= 0.04045 {
            c / 12.92
        } else {
            ((c + 0.055) / 1.055).powf(2.4)
        }
    })
}

/// Converts linear light to sRGB bytes; values above 0.8 are compressed smoothly instead of clipped.
pub(crate) fn bytes(light: [f64; 3]) -> [u8; 3] {
    light.map(|c| {
        let c = if c > 0.8 {
            1.0 - 0.2 * (-(c - 0.8) / 0.2).exp()
        } else {
            c.max(0.0)
        };
        let s = if c <= 0.003_130_8 {
            12.92 * c
        } else {
            1.055 * c.powf(1.0 / 2.4) - 0.055
        };
        (s * 255.0 + 0.5) as u8
    })
}
