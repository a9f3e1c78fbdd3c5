// Reads a log that was exported as tlog-tiles with the Go project's own tlog client code.
//
// usage: tlog_client FOLDER VERIFIER_KEY OLD_SIZE
package main

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func fail(err error) {
	if err != nil {
		fmt.Println("FAILED:", err)
		os.Exit(1)
	}
}

type folder struct{ path string }

func (f folder) Height() int                             { return 8 }
func (f folder) SaveTiles(tiles []tlog.Tile, data [][]byte) {}
func (f folder) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range tiles {
		// The checksum database writes tile/8/L/N where tlog-tiles writes tile/L/N.
		path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
		data, err := os.ReadFile(filepath.Join(f.path, path))
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

func main() {
	place := folder{os.Args[1]}
	verifier, err := note.NewVerifier(os.Args[2])
	fail(err)
	old, err := strconv.ParseInt(os.Args[3], 10, 64)
	fail(err)
	text, err := os.ReadFile(filepath.Join(place.path, "checkpoint"))
	fail(err)
	opened, err := note.Open(text, note.VerifierList(verifier))
	fail(err)
	lines := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	fail(err)
	raw, err := base64.StdEncoding.DecodeString(lines[2])
	fail(err)
	var root tlog.Hash
	copy(root[:], raw)
	tree := tlog.Tree{N: size, Hash: root}
	reader := tlog.TileHashReader(tree, place)
	for start := int64(0); start < size; start += 256 {
		bundle := tlog.Tile{H: 8, L: -1, N: start / 256, W: 256}
		if size-start < 256 {
			bundle.W = int(size - start)
		}
		path := strings.Replace(bundle.Path(), "tile/8/data/", "tile/entries/", 1)
		data, err := os.ReadFile(filepath.Join(place.path, path))
		fail(err)
		for seq := start; len(data) > 0; seq++ {
			length := int(data[0])<<8 | int(data[1])
			entry := data[2 : 2+length]
			data = data[2+length:]
			proof, err := tlog.ProveRecord(size, seq, reader)
			fail(err)
			fail(tlog.CheckRecord(proof, size, root, seq, tlog.RecordHash(entry)))
		}
	}
	before, err := tlog.TreeHash(old, reader)
	fail(err)
	proof, err := tlog.ProveTree(size, old, reader)
	fail(err)
	fail(tlog.CheckTree(proof, size, root, old, before))
	fmt.Println("read", size, "entries of", lines[0])
}
