// Abbreviations of time zones, because JavaScript's Intl does not provide them. Each line has abbreviations with their
// UTC offsets in seconds, then the zones that use them. Zones and offsets that are not listed have numeric names. The
// data is from the IANA tz database, for times since 1970.

const ZONE_NAMES = `
BST-39600 BDT-36000 AKST-32400 AKDT-28800|America/Nome
BST-39600 HST-36000 HDT-32400|America/Adak America/Atka US/Aleutian
SST-39600|Pacific/Midway Pacific/Pago_Pago Pacific/Samoa US/Samoa
AHST-36000 AKST-32400 AKDT-28800|America/Anchorage US/Alaska
HST-36000|HST Pacific/Honolulu Pacific/Johnston US/Hawaii
AKST-32400 AKDT-28800|America/Yakutat
AKST-32400 AKDT-28800 PDT-25200|America/Juneau America/Metlakatla America/Sitka
YST-32400 PST-28800 MST-25200|America/Dawson
PST-28800 MST-25200|America/Dawson_Creek America/Fort_Nelson America/Whitehorse Canada/Yukon
PST-28800 MST-25200 MDT-21600|America/Inuvik
PST-28800 PDT-25200|America/Ensenada America/Los_Angeles America/Santa_Isabel America/Tijuana America/Vancouver Canada/Pacific Mexico/BajaNorte PST8PDT US/Pacific
MST-25200|America/Creston America/Phoenix MST US/Arizona
MST-25200 CST-21600|America/Swift_Current
MST-25200 CST-21600 CDT-18000|America/Bahia_Banderas America/Chihuahua America/North_Dakota/Beulah America/North_Dakota/Center America/North_Dakota/New_Salem America/Ojinaga
MST-25200 MDT-21600|America/Boise America/Denver America/Edmonton America/Hermosillo America/Mazatlan America/Shiprock America/Yellowknife Canada/Mountain MST7MDT Mexico/BajaSur Navajo US/Mountain
MST-25200 MDT-21600 CDT-18000|America/Cambridge_Bay America/Ciudad_Juarez
CST-21600|America/Regina Canada/Saskatchewan
CST-21600 CDT-18000|America/Belize America/Chicago America/Costa_Rica America/El_Salvador America/Guatemala America/Indiana/Knox America/Knox_IN America/Managua America/Matamoros America/Menominee America/Merida America/Mexico_City America/Monterrey America/Rainy_River America/Rankin_Inlet America/Resolute America/Tegucigalpa America/Winnipeg CST6CDT Canada/Central Mexico/General US/Central US/Indiana-Starke
CST-21600 CDT-18000 EDT-14400|America/Indiana/Tell_City
CST-21600 EST-18000 EDT-14400|America/Cancun America/Indiana/Petersburg America/Indiana/Vincennes America/Indiana/Winamac America/Iqaluit America/Kentucky/Monticello America/Pangnirtung
CST-18000 CDT-14400|America/Havana Cuba
EST-18000|America/Atikokan America/Cayman America/Coral_Harbour America/Panama EST
EST-18000 AST-14400|America/Santo_Domingo
EST-18000 EDT-14400|America/Detroit America/Fort_Wayne America/Grand_Turk America/Indiana/Indianapolis America/Indiana/Marengo America/Indiana/Vevay America/Indianapolis America/Jamaica America/Kentucky/Louisville America/Louisville America/Montreal America/Nassau America/New_York America/Nipigon America/Port-au-Prince America/Thunder_Bay America/Toronto Canada/Eastern EST5EDT Jamaica US/East-Indiana US/Eastern US/Michigan
AST-14400|America/Anguilla America/Antigua America/Aruba America/Blanc-Sablon America/Curacao America/Dominica America/Grenada America/Guadeloupe America/Kralendijk America/Lower_Princes America/Marigot America/Miquelon America/Montserrat America/Port_of_Spain America/Puerto_Rico America/St_Barthelemy America/St_Kitts America/St_Lucia America/St_Thomas America/St_Vincent America/Tortola America/Virgin
AST-14400 ADT-10800|America/Barbados America/Glace_Bay America/Halifax America/Martinique America/Moncton America/Thule Atlantic/Bermuda Canada/Atlantic
AST-14400 ADT-10800 ADDT-7200|America/Goose_Bay
NST-12600 NDT-9000 NDDT-5400|America/St_Johns Canada/Newfoundland
MMT-2670 GMT0|Africa/Monrovia
GMT0|Africa/Abidjan Africa/Accra Africa/Bamako Africa/Banjul Africa/Bissau Africa/Conakry Africa/Dakar Africa/Freetown Africa/Lome Africa/Nouakchott Africa/Ouagadougou Africa/Timbuktu America/Danmarkshavn Atlantic/Reykjavik Atlantic/St_Helena Etc/GMT Etc/GMT+0 Etc/GMT-0 Etc/GMT0 Etc/Greenwich GMT GMT+0 GMT-0 GMT0 Greenwich Iceland
GMT0 BST3600|Europe/Belfast Europe/Guernsey Europe/Isle_of_Man Europe/Jersey Europe/London GB GB-Eire
GMT0 IST3600|Eire Europe/Dublin
GMT0 WAT3600|Africa/Sao_Tome
UTC0|Etc/UCT Etc/UTC Etc/Universal Etc/Zulu UCT UTC Universal Zulu
WET0 CET3600 CEST7200|Africa/Algiers Africa/Ceuta
WET0 WEST3600|Atlantic/Canary Atlantic/Faeroe Atlantic/Faroe Atlantic/Madeira WET
WET0 WEST3600 CEST7200|Europe/Lisbon Portugal
CET3600 CEST7200|Africa/Tunis Arctic/Longyearbyen Atlantic/Jan_Mayen CET Europe/Amsterdam Europe/Andorra Europe/Belgrade Europe/Berlin Europe/Bratislava Europe/Brussels Europe/Budapest Europe/Busingen Europe/Copenhagen Europe/Gibraltar Europe/Ljubljana Europe/Luxembourg Europe/Madrid Europe/Malta Europe/Monaco Europe/Oslo Europe/Paris Europe/Podgorica Europe/Prague Europe/Rome Europe/San_Marino Europe/Sarajevo Europe/Skopje Europe/Stockholm Europe/Tirane Europe/Vaduz Europe/Vatican Europe/Vienna Europe/Warsaw Europe/Zagreb Europe/Zurich Poland
CET3600 EET7200|Africa/Tripoli Libya
CET3600 EET7200 EEST10800 MSD14400|Europe/Vilnius
MET3600 MEST7200|MET
WAT3600|Africa/Bangui Africa/Brazzaville Africa/Douala Africa/Kinshasa Africa/Lagos Africa/Libreville Africa/Luanda Africa/Malabo Africa/Niamey Africa/Porto-Novo
WAT3600 CAT7200|Africa/Windhoek
WAT3600 WAST7200|Africa/Ndjamena
WEST3600|Atlantic/Azores
CAT7200|Africa/Blantyre Africa/Bujumbura Africa/Gaborone Africa/Harare Africa/Kigali Africa/Lubumbashi Africa/Lusaka Africa/Maputo
CAT7200 EAT10800|Africa/Juba Africa/Khartoum
EET7200|Asia/Amman Asia/Damascus Asia/Istanbul Europe/Istanbul Turkey
EET7200 EEST10800|Africa/Cairo Asia/Beirut Asia/Famagusta Asia/Gaza Asia/Hebron Asia/Nicosia EET Egypt Europe/Athens Europe/Bucharest Europe/Helsinki Europe/Mariehamn Europe/Nicosia Europe/Sofia
EET7200 EEST10800 MSD14400|Europe/Chisinau Europe/Kiev Europe/Kyiv Europe/Riga Europe/Tallinn Europe/Tiraspol Europe/Uzhgorod Europe/Zaporozhye
EET7200 MSK10800 MSK14400|Europe/Moscow Europe/Simferopol W-SU
EET7200 MSD14400|Europe/Kaliningrad Europe/Minsk
IST7200 IDT10800|Asia/Jerusalem Asia/Tel_Aviv Israel
SAST7200|Africa/Johannesburg Africa/Maseru Africa/Mbabane
EAT10800|Africa/Addis_Ababa Africa/Asmara Africa/Asmera Africa/Dar_es_Salaam Africa/Djibouti Africa/Kampala Africa/Mogadishu Africa/Nairobi Indian/Antananarivo Indian/Comoro Indian/Mayotte
MSK10800|Europe/Volgograd
MSK10800 MSK14400|Europe/Kirov
PKT18000 PKST21600|Asia/Karachi
IST19800|Asia/Calcutta Asia/Kolkata
WIB25200|Asia/Jakarta
WIB25200 WITA28800|Asia/Pontianak
AWST28800 AWDT32400|Australia/Perth Australia/West
CST28800 CDT32400|Asia/Chongqing Asia/Chungking Asia/Harbin Asia/Macao Asia/Macau Asia/Shanghai Asia/Taipei PRC ROC
HKT28800 HKST32400|Asia/Hong_Kong Hongkong
PST28800 PDT32400|Asia/Manila
WITA28800|Asia/Makassar Asia/Ujung_Pandang
KST30600 KST32400|Asia/Pyongyang
JST32400|Asia/Tokyo Japan
KST32400 KDT36000|Asia/Seoul ROK
WIT32400|Asia/Jayapura
ACST34200|Australia/Darwin Australia/North
ACST34200 ACDT37800|Australia/Adelaide Australia/Broken_Hill Australia/South Australia/Yancowinna
AEST36000|Australia/LHI Australia/Lord_Howe
AEST36000 AEDT39600|Antarctica/Macquarie Australia/ACT Australia/Brisbane Australia/Canberra Australia/Currie Australia/Hobart Australia/Lindeman Australia/Melbourne Australia/NSW Australia/Queensland Australia/Sydney Australia/Tasmania Australia/Victoria
GDT39600|Pacific/Guam Pacific/Saipan
NZST43200 NZDT46800|Antarctica/McMurdo Antarctica/South_Pole NZ Pacific/Auckland
`;

/** Each abbreviation joined with each of its UTC offsets in seconds, such as `EST-18000`. */
let used: Set<string> | null = null;
let names: Map<string, string> | null = null;

/** Returns whether any known time zone uses the abbreviation for the offset of `offset` seconds east of UTC. */
export function isAbbreviationOf(name: string, offset: number): boolean {
  used ??= new Set(ZONE_NAMES.match(/[A-Z]{3,4}-?\d+/g));
  return used.has(name + offset);
}

/**
 * Returns the abbreviation of a zone at an offset, such as `EST` for `America/New_York` at -18000 seconds; undefined
 * when the zone has only a numeric name.
 */
export function zoneAbbreviation(zone: string, offset: number): string | undefined {
  if (names === null) {
    names = new Map();
    for (const line of ZONE_NAMES.trim().split("\n")) {
      const [abbreviations = "", zones = ""] = line.split("|");
      const pairs = Array.from(abbreviations.matchAll(/([A-Z]+)(-?\d+)/g));
      for (const name of zones.split(" ")) for (const pair of pairs) names.set(`${name} ${pair[2]}`, pair[1] as string);
    }
  }
  return names.get(`${zone} ${offset}`);
}
