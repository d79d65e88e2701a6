/** Offers as browsers make them, shortened where what was left out is of no account. */

const FINGERPRINT =
  'FF:87:4C:FE:FB:02:46:2E:09:BA:DA:54:80:91:B4:77:CB:D8:B4:8B:33:06:17:E3:86:CE:5E:99:10:D3:29:3B';

const sdp = (lines: string): string => `${lines.trim().split('\n').join('\r\n')}\r\n`;

/** Chromium 140s with microphone, a video transceiver and a data channel; recorded. */
export const CHROMIUM = sdp(`
v=0
o=- 7328217694213249326 2 IN IP4 127.0.0.1
s=-
t=0 0
a=group:BUNDLE 0 1 2
a=extmap-allow-mixed
a=msid-semantic: WMS
m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126
c=IN IP4 0.0.0.0
a=rtcp:9 IN IP4 0.0.0.0
a=candidate:519550237 1 udp 2113937151 f654631c-e5e8-4511-aafb-c5065d49e162.local 46841 typ host generation 0 network-cost 999
a=ice-ufrag:gRHh
a=ice-pwd:DU357/ew9lrKt5OK+IITfCoo
a=ice-options:trickle
a=fingerprint:sha-256 ${FINGERPRINT}
a=setup:actpass
a=mid:0
a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
a=sendrecv
a=msid:- 5509ea04-6de1-4235-b720-9d5648263980
a=rtcp-mux
a=rtcp-rsize
a=rtcp-xr:rcvr-rtt=all
a=rtpmap:111 opus/48000/2
a=rtcp-fb:111 transport-cc
a=fmtp:111 minptime=10;useinbandfec=1
a=rtpmap:63 red/48000/2
a=fmtp:63 111/111
a=rtpmap:9 G722/8000
a=rtpmap:0 PCMU/8000
a=rtpmap:8 PCMA/8000
a=rtpmap:13 CN/8000
a=rtpmap:110 telephone-event/48000
a=rtpmap:126 telephone-event/8000
a=ssrc:1312502276 cname:MUfVOiAkmfk21iEm
a=ssrc:1312502276 msid:- 5509ea04-6de1-4235-b720-9d5648263980
m=video 9 UDP/TLS/RTP/SAVPF 96 97
c=IN IP4 0.0.0.0
a=rtcp:9 IN IP4 0.0.0.0
a=ice-ufrag:gRHh
a=ice-pwd:DU357/ew9lrKt5OK+IITfCoo
a=ice-options:trickle
a=fingerprint:sha-256 ${FINGERPRINT}
a=setup:actpass
a=mid:1
a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
a=recvonly
a=rtcp-mux
a=rtcp-rsize
a=rtpmap:96 VP8/90000
a=rtpmap:97 rtx/90000
a=fmtp:97 apt=96
m=application 9 UDP/DTLS/SCTP webrtc-datachannel
c=IN IP4 0.0.0.0
a=ice-ufrag:gRHh
a=ice-pwd:DU357/ew9lrKt5OK+IITfCoo
a=ice-options:trickle
a=fingerprint:sha-256 ${FINGERPRINT}
a=setup:actpass
a=mid:2
a=sctp-port:5000
a=max-message-size:262144
`);

/** As Firefox writes it: the fingerprint in the session, Opus as 109, more in its fmtp. */
export const FIREFOX = sdp(`
v=0
o=mozilla...THIS_IS_SDPARTA-99.0 4858251974351650128 0 IN IP4 0.0.0.0
s=-
t=0 0
a=fingerprint:sha-256 ${FINGERPRINT}
a=group:BUNDLE 0
a=ice-options:trickle
a=msid-semantic:WMS *
m=audio 9 UDP/TLS/RTP/SAVPF 109 9 0 8 101
c=IN IP4 0.0.0.0
a=sendrecv
a=end-of-candidates
a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
a=extmap:2/recvonly urn:ietf:params:rtp-hdrext:csrc-audio-level
a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:mid
a=fmtp:109 maxplaybackrate=48000;stereo=1;useinbandfec=1
a=fmtp:101 0-15
a=ice-pwd:a7d8b4c5c0cda28c52b5e4e1b1f5c2a1
a=ice-ufrag:2d6d3a8f
a=mid:0
a=msid:{6a1e8b7e-0f27-4f4f-9d55-8a58b2b2f6a8} {98ad3c64-8d1a-4d3a-8cf3-6b2f8f0f7b5e}
a=rtcp-mux
a=rtpmap:109 opus/48000/2
a=rtpmap:9 G722/8000/1
a=rtpmap:0 PCMU/8000
a=rtpmap:8 PCMA/8000
a=rtpmap:101 telephone-event/8000/1
a=setup:actpass
a=ssrc:2655508255 cname:{735484ea-4f6c-f74a-bd66-7425f8476c2e}
`);

/** werift (a library of its own in TypeScript): no extensions, "OPUS" in capitals, as 96; recorded. */
export const WERIFT = sdp(`
v=0
o=- 13103586 0 IN IP4 0.0.0.0
s=-
t=0 0
a=group:BUNDLE 0
a=extmap-allow-mixed
a=msid-semantic:WMS *
m=audio 9 UDP/TLS/RTP/SAVPF 96 0
c=IN IP4 0.0.0.0
a=candidate:626da4e5384a0ce2d0d93678a 1 udp 2116026367 127.0.0.1 43153 typ host generation 0 ufrag 506d
a=end-of-candidates
a=ice-ufrag:506d
a=ice-pwd:01dccbe24199882e8aca2e
a=ice-options:trickle
a=fingerprint:sha-256 ${FINGERPRINT}
a=setup:actpass
a=sendrecv
a=mid:0
a=rtcp:9 IN IP4 0.0.0.0
a=rtcp-mux
a=ssrc:841154896 cname:b59977b3-e7d1-4473-8fbf-1acd32b12f05
a=rtpmap:96 OPUS/48000/2
a=rtpmap:0 PCMU/8000
`);
