import SessionModels
import Testing

@Suite struct CalendarDateTests {
  @Test(arguments: [
    "0001-01-01", "1970-01-01", "2000-02-29", "2024-02-29", "2026-12-31", "9999-12-31",
    "2011-05-15", "2023-04-30",
  ])
  func `a day is written as it was read`(text: String) throws {
    #expect(try #require(CalendarDate(parsing: text)).description == text)
  }

  @Test(arguments: [
    "", "2011", "2011-5-15", "2011-05-1", "2011/05/15", "15-05-2011", "2011-05-15 ", " 2011-05-15",
    "2011-05-15T00:00:00Z", "0000-01-01", "2011-00-10", "2011-13-10", "2011-05-00", "2011-05-32",
    "2011-04-31", "2023-02-29", "1900-02-29", "2100-02-29", "-011-05-15", "2011-05--1",
    "２０１１-05-15", "20é1-05-15", "+011-05-15", "2011-05-1é",
  ])
  func `a text that names no day is nil`(text: String) {
    #expect(CalendarDate(parsing: text) == nil)
  }

  @Test(arguments: [
    (0, 1, 1), (10_000, 1, 1), (-1, 1, 1), (.min, .min, .min), (.max, .max, .max), (2023, 2, 29),
    (2023, 4, 31), (2023, 0, 1), (2023, 1, 0), (2023, 1, 32),
  ])
  func `numbers that name no day are nil`(year: Int, month: Int, day: Int) {
    #expect(CalendarDate(year: year, month: month, day: day) == nil)
  }

  @Test(arguments: [
    (-719_162, "0001-01-01"), (-1, "1969-12-31"), (0, "1970-01-01"), (59, "1970-03-01"),
    (11_016, "2000-02-29"), (11_017, "2000-03-01"), (20_560, "2026-04-17"),
    (2_932_896, "9999-12-31"), (-719_163, "0001-01-01"), (2_932_897, "9999-12-31"),
    (.min, "0001-01-01"), (.max, "9999-12-31"),
  ])
  func `days are counted from 1970, and stay within the calendar`(days: Int, text: String) {
    #expect(CalendarDate(daysSinceEpoch: days).description == text)
  }

  @Test func `every day of 10,000 years has one number, and follows the day before`() {
    var previous = CalendarDate(daysSinceEpoch: -719_162)
    var faults = 0
    for days in -719_161...2_932_896 {
      let date = CalendarDate(daysSinceEpoch: days)
      let isNext =
        date.day == previous.day + 1 && date.month == previous.month && date.year == previous.year
        || date.day == 1 && date.month == previous.month + 1 && date.year == previous.year
        || date.day == 1 && date.month == 1 && previous.month == 12
          && date.year == previous.year + 1
      let isDay = CalendarDate(year: date.year, month: date.month, day: date.day) == date
      if !isNext || !isDay || date.daysSinceEpoch != days || date <= previous { faults += 1 }
      previous = date
    }
    #expect(faults == 0)
  }

  @Test(arguments: [
    ("2011-05-15", "2024-05-14", 12), ("2011-05-15", "2024-05-15", 13),
    ("2011-05-15", "2024-06-01", 13), ("2011-05-15", "2025-01-01", 13),
    ("2011-05-15", "2011-05-15", 0), ("2011-05-15", "2011-05-14", -1),
    ("2012-02-29", "2025-02-28", 12), ("2012-02-29", "2025-03-01", 13),
    ("2012-02-29", "2028-02-28", 15), ("2012-02-29", "2028-02-29", 16),
    ("2000-12-31", "2026-01-01", 25), ("0001-01-01", "9999-12-31", 9998),
  ])
  func `an age is completed years`(born: String, today: String, age: Int) throws {
    let born = try #require(CalendarDate(parsing: born))
    let today = try #require(CalendarDate(parsing: today))
    #expect(born.age(on: today) == age)
  }
}
