// The part of libsrtp 3's interface that mediasoup 3.27 uses, over libsrtp 2: policies that are objects, and
// separate buffers for what goes in and what comes out. libsrtp 2 works in place, so the bytes are copied first.
#pragma once

#include <srtp2/srtp.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

// Results that libsrtp 2 does not have; numbers that it does not use.
inline constexpr auto srtp_err_status_buffer_small = static_cast<srtp_err_status_t>(28);
inline constexpr auto srtp_err_status_cryptex_err  = static_cast<srtp_err_status_t>(29);

namespace srtp3_over_srtp2
{
	struct Policy
	{
		srtp_policy_t crypto{};
		uint8_t masterKey[SRTP_MAX_KEY_LEN]{};

		~Policy()
		{
			explicit_bzero(this->masterKey, sizeof(this->masterKey));
		}
	};

	// How much protecting may add: the authentication tag, and the index of an SRTCP packet.
	inline constexpr size_t MaxGrowth = SRTP_MAX_TAG_LEN + sizeof(uint32_t);

	inline srtp_err_status_t Transform(
	  srtp_err_status_t (*inPlace)(srtp_t, void*, int*),
	  srtp_t session,
	  const uint8_t* in,
	  size_t inLen,
	  uint8_t* out,
	  size_t* outLen,
	  size_t growth)
	{
		if (*outLen < inLen + growth)
		{
			return srtp_err_status_buffer_small;
		}
		if (in != out)
		{
			std::memmove(out, in, inLen);
		}

		int length                     = static_cast<int>(inLen);
		const srtp_err_status_t result = inPlace(session, out, &length);

		if (result == srtp_err_status_ok)
		{
			*outLen = static_cast<size_t>(length);
		}

		return result;
	}

	inline srtp_err_status_t Protect(
	  srtp_t session, const uint8_t* in, size_t inLen, uint8_t* out, size_t* outLen, size_t /*mkiIndex*/)
	{
		return Transform(::srtp_protect, session, in, inLen, out, outLen, MaxGrowth);
	}

	inline srtp_err_status_t ProtectRtcp(
	  srtp_t session, const uint8_t* in, size_t inLen, uint8_t* out, size_t* outLen, size_t /*mkiIndex*/)
	{
		return Transform(::srtp_protect_rtcp, session, in, inLen, out, outLen, MaxGrowth);
	}

	inline srtp_err_status_t Unprotect(
	  srtp_t session, const uint8_t* in, size_t inLen, uint8_t* out, size_t* outLen)
	{
		return Transform(::srtp_unprotect, session, in, inLen, out, outLen, 0);
	}

	inline srtp_err_status_t UnprotectRtcp(
	  srtp_t session, const uint8_t* in, size_t inLen, uint8_t* out, size_t* outLen)
	{
		return Transform(::srtp_unprotect_rtcp, session, in, inLen, out, outLen, 0);
	}

	inline srtp_err_status_t CreatePolicy(Policy** policy)
	{
		*policy = new Policy();

		return srtp_err_status_ok;
	}

	inline void DestroyPolicy(Policy* policy)
	{
		delete policy;
	}

	inline srtp_err_status_t SetSsrc(Policy* policy, srtp_ssrc_t ssrc)
	{
		policy->crypto.ssrc = ssrc;

		return srtp_err_status_ok;
	}

	inline srtp_err_status_t SetProfile(Policy* policy, srtp_profile_t profile)
	{
		const auto result = srtp_crypto_policy_set_from_profile_for_rtp(&policy->crypto.rtp, profile);

		if (result != srtp_err_status_ok)
		{
			return result;
		}

		// RTCP keeps the tag of 80 bits where the profile's RTP tag has 32 (RFC 5764, section 4.1.2).
		return srtp_crypto_policy_set_from_profile_for_rtcp(&policy->crypto.rtcp, profile);
	}

	inline srtp_err_status_t AddKey(
	  Policy* policy,
	  const uint8_t* key,
	  size_t keyLen,
	  const uint8_t* salt,
	  size_t saltLen,
	  const uint8_t* /*mki*/,
	  size_t mkiLen)
	{
		const bool hasKey = policy->crypto.key != nullptr;

		if (hasKey || mkiLen != 0 || keyLen + saltLen > sizeof(policy->masterKey))
		{
			return srtp_err_status_bad_param;
		}

		std::memcpy(policy->masterKey, key, keyLen);
		std::memcpy(policy->masterKey + keyLen, salt, saltLen);
		policy->crypto.key = policy->masterKey;

		return srtp_err_status_ok;
	}

	inline srtp_err_status_t SetAllowRepeatTx(Policy* policy, bool allow)
	{
		policy->crypto.allow_repeat_tx = allow ? 1 : 0;

		return srtp_err_status_ok;
	}

	inline srtp_err_status_t SetWindowSize(Policy* policy, size_t size)
	{
		policy->crypto.window_size = size;

		return srtp_err_status_ok;
	}

	// libsrtp 2 derives its keys here, so the policy may be destroyed afterwards.
	inline srtp_err_status_t Create(srtp_t* session, const Policy* policy)
	{
		return ::srtp_create(session, &policy->crypto);
	}

	// Both take the SSRC in network byte order.
	inline srtp_err_status_t RemoveStream(srtp_t session, uint32_t ssrc)
	{
		return ::srtp_remove_stream(session, ssrc);
	}
} // namespace srtp3_over_srtp2

// libsrtp 3's names for the above, where they collide with libsrtp 2's.
#define srtp_policy_t srtp3_over_srtp2::Policy*
#define srtp_policy_create srtp3_over_srtp2::CreatePolicy
#define srtp_policy_destroy srtp3_over_srtp2::DestroyPolicy
#define srtp_policy_set_ssrc srtp3_over_srtp2::SetSsrc
#define srtp_policy_set_profile srtp3_over_srtp2::SetProfile
#define srtp_policy_add_key srtp3_over_srtp2::AddKey
#define srtp_policy_set_allow_repeat_tx srtp3_over_srtp2::SetAllowRepeatTx
#define srtp_policy_set_window_size srtp3_over_srtp2::SetWindowSize
#define srtp_create srtp3_over_srtp2::Create
#define srtp_stream_remove srtp3_over_srtp2::RemoveStream
#define srtp_protect srtp3_over_srtp2::Protect
#define srtp_protect_rtcp srtp3_over_srtp2::ProtectRtcp
#define srtp_unprotect srtp3_over_srtp2::Unprotect
#define srtp_unprotect_rtcp srtp3_over_srtp2::UnprotectRtcp
