//! Shaded pictures of triangle meshes without a screen.
