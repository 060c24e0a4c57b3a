//! IMF-fixdate, the one form of date that a sender may use (RFC 9110 5.6.7).

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]; // from 1 January 1970
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`; `None` for any other form, and for a wrong weekday.
pub(crate) fn parse_imf_fixdate(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let fixed = [
        (3, b','),
        (4, b' '),
        (7, b' '),
        (11, b' '),
        (16, b' '),
        (19, b':'),
        (22, b':'),
    ];
    if bytes.len() != 29
        || !text.is_ascii()
        || fixed.iter().any(|(at, byte)| bytes[*at] != *byte)
        || &text[25..] != " GMT"
    {
        return None;
    }
    let month = MONTHS.iter().position(|month| *month == &text[8..11])?;
    let (day, year) = (number(&text[5..7])?, number(&text[12..16])?);
    let (hour, minute, second) = (
        number(&text[17..19])?,
        number(&text[20..22])?,
        number(&text[23..25])?,
    );
    if !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let days = days_since_1970(year, i64::try_from(month).ok()? + 1, day);
    let weekday = DAYS[usize::try_from(days.rem_euclid(7)).ok()?];
    (weekday == &text[..3]).then_some(days * 86_400 + hour * 3600 + minute * 60 + second)
}

fn number(digits: &str) -> Option<i64> {
    digits
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| digits.parse().ok())?
}

/// Days in the Gregorian calendar, with the year turned to start in March so that the leap day is its last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year
        - 719_468
}

#[cfg(test)]
mod tests {
    use super::parse_imf_fixdate;

    #[test]
    fn known_dates() {
        // The example of RFC 9110 5.6.7, the epoch, a leap day and the first of a month after one.
        assert_eq!(
            parse_imf_fixdate("Sun, 06 Nov 1994 08:49:37 GMT"),
            Some(784_111_777)
        );
        assert_eq!(parse_imf_fixdate("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(
            parse_imf_fixdate("Tue, 29 Feb 2000 23:59:59 GMT"),
            Some(951_868_799)
        );
        assert_eq!(
            parse_imf_fixdate("Fri, 01 Mar 2024 00:00:00 GMT"),
            Some(1_709_251_200)
        );
    }

    #[test]
    fn other_forms_and_wrong_weekdays_are_refused() {
        for text in [
            "Mon, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 25:49:37 GMT",
            "",
        ] {
            assert_eq!(parse_imf_fixdate(text), None, "{text}");
        }
    }
}
