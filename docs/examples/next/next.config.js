// The package stays outside of the server's bundle, so that it finds its WebAssembly module beside its code.

module.exports = { serverExternalPackages: ["millrace"] };
