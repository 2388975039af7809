package urlnorm

import "strings"

// trackingVersion names the set below; a change of the set is a new version.
const trackingVersion = "1"

// tracking is the standard set: parameters that say how a visitor came, never
// what a page shows. A name is here only if its maker documents it as that, or
// if a browser strips it from every site. Names that some site may use for
// content (ref, source, cid, s_cid, campaign) are not.
var tracking = names(
	// Google Analytics, campaign parameters (support.google.com/analytics/answer/10917952)
	"utm_source utm_medium utm_campaign utm_term utm_content utm_id utm_source_platform utm_creative_format utm_marketing_tactic",
	// Google Ads, Campaign Manager, Merchant Center, cross-domain linker
	"gclid gclsrc dclid gbraid wbraid gad_source gad_campaignid srsltid _ga _gl",
	// Click identifiers of Meta, Microsoft, X, TikTok, LinkedIn, Yandex, Snapchat, Instagram
	"fbclid msclkid twclid ttclid li_fat_id yclid ysclid _openstat ScCid igshid",
	// Mailchimp, HubSpot, Marketo, Omeda, Vero, Drip, Klaviyo, MailerLite
	"mc_cid mc_eid _hsenc _hsmi __hssc __hstc __hsfp hsCtaTracking mkt_tok oly_anon_id oly_enc_id vero_id vero_conv __s _ke ml_subscriber ml_subscriber_hash",
	// Others that Firefox or Brave strip from every site
	"wickedid rb_clickid unicorn_click_id",
)

func names(lines ...string) map[string]bool {
	set := map[string]bool{}
	for _, line := range lines {
		for name := range strings.FieldsSeq(line) {
			set[name] = true
		}
	}
	return set
}
