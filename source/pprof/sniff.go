package pprof

import "encoding/binary"

// sniff recognises a profile by its structure: everything in head is fields
// of message Profile, with insides as they should be, and some of it is
// something that neither text nor another protocol buffer would hold.
func sniff(head []byte) bool {
	rest := head
	sure := false
	for len(rest) > 0 {
		tag, n := binary.Uvarint(rest)
		if n == 0 && len(rest) < len(head) {
			break // head ends here, and so does what can be known
		}
		num, wire := tag>>3, int(tag&7)
		if n <= 0 || num == 0 || num > profileMaxField {
			return false
		}
		rest = rest[n:]
		v, n := binary.Uvarint(rest)
		if n == 0 {
			break
		}
		if n < 0 {
			return false
		}
		rest = rest[n:]
		message := num <= profileString || num == profilePeriodType
		switch {
		case wire == wireVarint && !message:
			continue
		case wire != wireBytes || !message && num != profileComment || v > maxMessage:
			return false
		}
		if v > uint64(len(rest)) {
			break
		}
		body := rest[:v]
		rest = rest[v:]
		if num == profileString || num == profileComment {
			continue // whatever bytes: names that are not UTF-8 do occur
		}
		if !looksLike(int(num), body) {
			return false
		}
		// The tag of a sample, or of a number among the first fields of
		// another message, is a control character that no text has.
		sure = sure || len(body) > 1 && (num == profileSample || body[0] == 0x08 || body[0] == 0x10 || body[0] == 0x18)
	}
	return sure
}

// shapes are, per message, the wire types that its fields may have: a digit
// for each field from 1. p is a number or many of them packed.
var shapes = map[int]string{
	profileSampleType: "00",
	profileSample:     "pp2",
	profileMapping:    "0000000000",
	profileLocation:   "00020",
	profileFunction:   "00000",
	profilePeriodType: "00",
}

func looksLike(num int, body []byte) bool {
	shape := shapes[num]
	m := message{rest: body}
	for {
		more, err := m.next()
		if !more || err != nil {
			return err == nil
		}
		if m.num > len(shape) {
			return false
		}
		switch shape[m.num-1] {
		case '0':
			if m.wire != wireVarint {
				return false
			}
		case '2':
			if m.wire != wireBytes {
				return false
			}
		default:
			if m.wire != wireVarint && (m.wire != wireBytes || len(m.body) > 0 && m.body[len(m.body)-1] >= 0x80) {
				return false
			}
		}
	}
}
