// Package codec says how one value lies in a store: a version byte, fields in a
// fixed order, and a CRC32C over both. Numbers take as few bytes as they need.
//
// A value that was damaged, cut or written by newer code is [ErrDamaged] when it
// is read, never a wrong value. What the fields mean is the caller's business.
package codec
